import test from 'ava';
import { startRunners, type Runner, type RunnerHarness } from './harness/runner.ts';
import { startCommands } from './harness/runner-load.ts';
import { until } from './harness/until.ts';

const parks = Array.from({ length: 12 }, (_, n) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`);
/** From the end of a run to its mark in the store, at most. */
const markMs = 1_000;
/** A claim of the killed process holds for 30 s; waiting messages are retried with growing pauses. */
const againMs = 100_000;
let harness: RunnerHarness | undefined;

test.after.always(() => harness?.remove());

test.serial(
  'a runner that is killed under load loses no command, and repeats at most what ended in that moment',
  async (t) => {
    t.timeout(180_000);
    harness = await startRunners({ integrations: parks, replicas: 2, env: { SCHEDULER: 'platform' } });
    const killed = harness.runners[0] as Runner;
    const load = startCommands(harness, parks);
    t.teardown(() => load.stop());
    await until('the load flows', () => load.sent() > 300);
    const pid = killed.pid();
    const killedAt = Date.now();
    await killed.kill();
    const before = load.sent();
    await until('the load goes on', () => load.sent() > before + 100);
    await load.stop();
    await until('every command has run', load.allRan, againMs);
    const runs = load.ended();
    const first = new Map(runs.toReversed().map((run) => [run.n, run]));
    const repeated = load.repeated();
    t.log(
      `runner-kill: ${JSON.stringify({ sent: load.sent(), runs: runs.length, repeated: repeated.length, sentAgain: load.sentAgain().size, afterMs: Date.now() - killedAt })}`,
    );
    t.deepEqual(
      repeated.filter((n) => first.get(n)?.pid !== pid || (first.get(n)?.at ?? 0) < killedAt - markMs),
      [],
    );
  },
);
