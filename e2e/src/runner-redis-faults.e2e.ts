import test from 'ava';
import { watchHealth } from './harness/health-watch.ts';
import { startRunners, type RunnerHarness } from './harness/runner.ts';
import { until } from './harness/until.ts';

const parks = Array.from({ length: 4 }, (_, n) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`);
let harness: RunnerHarness;
let numbers = 0;

test.before(async () => {
  harness = await startRunners({ integrations: parks, replicas: 2, env: { SCHEDULER: 'platform' } });
});
test.after.always(() => harness?.remove());

/** One call of the store inside a request, and some. */
const budgetMs = 5_000;
const healthMs = 50;
const againMs = 60_000;
/** A run that is under way keeps its lease for so long without the store, and some. */
const longMs = 6_000;

const next = (): number => (numbers += 1);

const linesOf = (n: number, phase: 'begun' | 'ended'): number =>
  harness.lines().filter((line) => line.n === n && line.phase === phase).length;

/** A pushed command, delivered for the first time or again. */
const pushed = (park: string, action: string, n: number, deliveryAttempt = 1): object => {
  const command = { integration_id: park, action_id: action, config_overrides: { n }, triggered_by: 'manual' };
  const data = Buffer.from(JSON.stringify(command)).toString('base64');
  return { message: { data, attributes: {}, messageId: `message-${n}` }, subscription: 's', deliveryAttempt };
};

for (const [what, [park = '', longPark = ''], begin, end] of [
  ['hangs', parks.slice(0, 2), () => harness.cluster.redis.pause(), () => harness.cluster.redis.resume()],
  ['is stopped', parks.slice(2), () => harness.cluster.redis.stop(), () => harness.cluster.redis.start()],
] as const)
  test.serial(
    `a store that ${what}: what needs no lease runs, pulls come again and run with it back, health answers, nothing is lost`,
    async (t) => {
      t.timeout(120_000);
      const { runners, command } = harness;
      const [first, second] = runners;
      if (!first || !second) return t.fail('there are two runners');
      for (const runner of runners)
        for (const action of ['work', 'tick'])
          for (const each of parks) t.is((await runner.execute(each, action)).status, 200);
      const long = next();
      await command(longPark, 'tick', { n: long, ms: longMs });
      await until('the long pull has begun', () => linesOf(long, 'begun') > 0);

      let isAway = true;
      const bringBack = async (): Promise<void> => {
        if (isAway) await end();
        isAway = false;
      };
      t.teardown(bringBack);
      await begin();
      const health = await watchHealth(runners);
      t.teardown(() => health.end());
      const commands = parks.flatMap((each) => [1, 2].map(() => ({ each, n: next() })));
      for (const { each, n } of commands) await command(each, 'work', { n });
      const [pull, pushedWork, pushedTick] = [next(), next(), next()];
      await command(park, 'tick', { n: pull });
      const [ran, refused, taken, putOff] = await Promise.all([
        first.execute(park, 'work'),
        second.execute(park, 'tick'),
        first.post('/', pushed(park, 'work', pushedWork)),
        second.post('/', pushed(park, 'tick', pushedTick)),
      ]);
      t.deepEqual([ran.status, refused.status, taken.status, putOff.status], [200, 500, 200, 500]);
      t.regex(JSON.stringify(refused.body), /key-value store/);
      await until('the commands have run', () => commands.every(({ n }) => linesOf(n, 'ended') > 0));
      await until('the long pull has ended', () => linesOf(long, 'ended') > 0);
      t.deepEqual(
        [pull, pushedTick].map((n) => linesOf(n, 'begun')),
        [0, 0],
        'nobody knows whether it would be alone',
      );
      for (const runner of runners) t.true(await runner.ready());
      const p95 = await health.end();
      await bringBack();

      t.log(
        `answers ${[ran, refused, taken, putOff].map(({ ms }) => Math.round(ms)).join(', ')} ms, health p95 ${p95.map(Math.round).join(', ')} ms beyond a bare server`,
      );
      t.true(Math.max(...[ran, refused, taken, putOff].map(({ ms }) => ms)) < budgetMs);
      t.true(Math.max(...p95) < healthMs);
      // A lease that the store granted after its caller gave up holds for 30 s.
      const again = async (): Promise<boolean> =>
        (await first.post('/', pushed(park, 'tick', pushedTick, 2))).status === 200;
      await until('the pushed pull has run', again, againMs, 1_000);
      await until('the pull of the topic has run', () => linesOf(pull, 'ended') > 0, againMs);
      const asked = [...commands.map((each) => each.n), long, pull, pushedWork, pushedTick];
      for (const n of asked) t.true(linesOf(n, 'ended') > 0, `${n} is run`);
      const begun = harness.lines().filter(({ n, phase }) => asked.includes(n) && phase === 'begun');
      t.is(new Set(begun.map(({ event }) => event)).size, begun.length, 'no command or message is run twice');
    },
  );
