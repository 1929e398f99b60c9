import test from 'ava';
import type { Replica } from './harness/cluster.ts';
import { watchHealth } from './harness/health-watch.ts';
import { devices, startPushers, type PusherHarness } from './harness/pusher.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const [device = ''] = devices;
let harness: PusherHarness;
let resends: Replica;
let holds: Replica;

test.before(async () => {
  harness = await startPushers({ integrations: [park], replicas: 1, env: { PUSH_AMBIGUOUS: 'resend' } });
  resends = harness.replicas[0] as Replica;
  holds = await harness.cluster.add('message-pusher');
  await holds.start({ PUSH_AMBIGUOUS: 'hold' });
});
test.after.always(() => harness?.remove());

/** Of the store, 30 s; the other calls of a run that find it away take 2 s each. */
const budgetMs = 45_000;
const healthMs = 50;

const timed = async <T>(work: Promise<T>): Promise<{ result: T; ms: number }> => {
  const from = performance.now();
  return { result: await work, ms: performance.now() - from };
};

for (const [what, begin, end] of [
  ['hangs', () => harness.cluster.redis.pause(), () => harness.cluster.redis.resume()],
  ['is stopped', () => harness.cluster.redis.stop(), () => harness.cluster.redis.start()],
] as const)
  test.serial(
    `a store that ${what}: resend sends all the same, hold answers 500, both within the budget; health answers`,
    async (t) => {
      t.timeout(180_000);
      const [sent, held] = [harness.textFor(park, device), harness.textFor(park, device)];
      for (const replica of [resends, holds])
        t.true((await harness.push(harness.textFor(park, device), replica)).acked);
      await begin();
      const health = await watchHealth([resends, holds]);
      t.teardown(() => health.end());
      const [resent, refused] = await Promise.all([
        timed(harness.once(sent, resends)),
        timed(harness.once(held, holds)),
      ]);
      const p95 = await health.end();
      t.log(
        `resend ${Math.round(resent.ms)} ms, hold ${Math.round(refused.ms)} ms, health p95 ${p95.map(Math.round).join(', ')} ms beyond a bare server`,
      );
      t.is(resent.result.status, 200);
      t.is(refused.result.status, 500);
      t.is(harness.timesTaken(sent), 1);
      t.is(harness.timesTaken(held), 0);
      t.is((await harness.once(sent, resends)).status, 200);
      t.is(harness.timesTaken(sent), 1, 'the process that sent it knows');
      await end();
      t.true(Math.max(resent.ms, refused.ms) < budgetMs);
      t.true(Math.max(...p95) < healthMs);
      t.true((await harness.push(held, holds)).acked);
      t.is(harness.timesTaken(held), 1);
    },
  );
