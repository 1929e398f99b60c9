import test from 'ava';
import { startRunners, type Runner, type RunnerHarness } from './harness/runner.ts';
import type { RunLine } from './harness/runner-process/actions.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
/** A minute of the schedule takes three seconds. */
const speed = 20;
const takeoverMs = 40_000;
let harness: RunnerHarness | undefined;

test.after.always(() => harness?.remove());

const endedOf = (lines: readonly RunLine[]): readonly RunLine[] => lines.filter(({ phase }) => phase === 'ended');

const leaderOf = async (runners: readonly Runner[]): Promise<Runner | undefined> => {
  for (const runner of runners) if (await runner.leads()) return runner;
  return undefined;
};

test.serial(
  'of two runners one keeps the schedules, each instant is run once, and the other goes on when it is killed',
  async (t) => {
    t.timeout(120_000);
    harness = await startRunners({
      integrations: [park],
      replicas: 2,
      env: { CLOCK_FROM: String(Date.now()), CLOCK_SPEED: String(speed) },
    });
    const { runners, lines, cluster } = harness;
    const ended = (): readonly RunLine[] => endedOf(lines());
    await until('the schedule has run', () => ended().length >= 4);
    const leader = await leaderOf(runners);
    const other = runners.find((runner) => runner !== leader);
    if (!leader || !other) return t.fail('nobody leads');
    t.false(await other.leads());
    const before = ended().length;
    const events = new Set(ended().map(({ event }) => event));
    t.is(events.size, before, 'each instant is run once');

    await leader.kill();
    const killedAt = performance.now();
    await until('the other leads', () => other.leads(), takeoverMs);
    const takeover = Math.round(performance.now() - killedAt);
    await until('the other keeps the schedule', () => ended().length >= before + 4);
    const all = ended();
    t.log(`runner-schedule: ${JSON.stringify({ runs: all.length, takeoverMs: takeover })}`);
    t.is(new Set(all.map(({ event }) => event)).size, all.length, 'no instant is run twice');
    t.is(lines().filter(({ phase }) => phase === 'begun').length, all.length, 'nothing was begun that did not end');

    await leader.start();
    t.false(await leader.leads(), 'one that comes back leaves the lead where it is');
    const { stdout } = await cluster.relay('schedules', '--output', 'json');
    const { leader: owner, last_tick: tick } = JSON.parse(stdout) as {
      leader: string | null;
      last_tick: string | null;
    };
    t.truthy(owner);
    t.truthy(tick);
  },
);
