import test from 'ava';
import { startRunners, type RunnerHarness } from './harness/runner.ts';
import { startCommands } from './harness/runner-load.ts';
import { until } from './harness/until.ts';

const parks = Array.from({ length: 12 }, (_, n) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`);
const [slowPark = '', ...others] = parks;
/** Several times the session timeout of the group (3 s); LONG_ACTION_MS=530000 is nearly the longest that an action may run. */
const longMs = Number(process.env['LONG_ACTION_MS'] ?? '14000');
const longN = 1_000_000;
const endMs = 15_000;
let harness: RunnerHarness | undefined;

test.after.always(() => harness?.remove());

test.serial(
  'a long action keeps its place in the group; a rolling restart under load loses no command and repeats none',
  async (t) => {
    t.timeout(120_000 + longMs);
    harness = await startRunners({ integrations: parks, replicas: 2, env: { SCHEDULER: 'platform' } });
    const { runners, lines, command } = harness;
    const long = (phase: 'begun' | 'ended'): number =>
      lines().filter((line) => line.n === longN && line.phase === phase).length;

    await command(slowPark, 'work', { n: longN, ms: longMs });
    await until('the long action has begun', () => long('begun') === 1);
    const load = startCommands(harness, others);
    t.teardown(() => load.stop());
    while (long('ended') === 0) {
      for (const runner of runners) t.true(await runner.ready());
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    t.is(long('begun'), 1, 'the long action was begun once');

    const ends: { code: number | null; ms: number }[] = [];
    const starts: number[] = [];
    for (const runner of runners) {
      const began = performance.now();
      const code = await runner.end();
      ends.push({ code, ms: Math.round(performance.now() - began) });
      starts.push(await runner.start());
    }
    await load.stop();
    await until('every command has run', load.allRan);
    t.log(
      `runner-load: ${JSON.stringify({ sent: load.sent(), runs: load.ended().length, sentAgain: load.sentAgain().size, ends, starts })}`,
    );
    t.true(load.sent() > 200);
    t.deepEqual(
      ends.filter(({ code, ms }) => code !== 0 || ms > endMs),
      [],
      'ends with 0 in time',
    );
    t.deepEqual(load.repeated(), [], 'each is run once');
  },
);
