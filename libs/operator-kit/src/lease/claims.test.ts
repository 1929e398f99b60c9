import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createKubeApi } from '../api/create.ts';
import { leaseLink, leaseServer, type NetworkCondition } from '../test/lease-network.ts';
import { startHarness } from '../test/harness.ts';
import { createClaims, type Claims } from './claims.ts';

const lease = { namespace: 'park', name: 'place' };
const never = (): boolean => false;

test('a claim holds until it is given back, however long that takes, also after a restart', async (t) => {
  const { api, clock } = await startHarness(t);
  const claims = createClaims({ api, clock });
  t.deepEqual(await claims.take({ lease, holder: 'a', hasLost: never }), { kind: 'held' });
  await clock.advance(10 * 86_400_000);
  t.deepEqual(await claims.take({ lease, holder: 'b', hasLost: never }), { kind: 'foreign', holder: 'a' });
  const restarted = createClaims({ api, clock });
  t.deepEqual(await restarted.take({ lease, holder: 'a', hasLost: never }), { kind: 'held' });
  await restarted.release(lease, 'b');
  t.deepEqual(await claims.take({ lease, holder: 'b', hasLost: never }), { kind: 'foreign', holder: 'a' });
  await restarted.release(lease, 'a');
  t.deepEqual(await claims.take({ lease, holder: 'b', hasLost: never }), { kind: 'held' });
});

test('the claim of a holder that is gone is taken over', async (t) => {
  const { api, clock } = await startHarness(t);
  const claims = createClaims({ api, clock });
  await claims.take({ lease, holder: 'a', hasLost: never });
  const asked: string[] = [];
  const hasLost = async (holder: string): Promise<boolean> => asked.push(holder) > 0;
  t.deepEqual(await claims.take({ lease, holder: 'b', hasLost }), { kind: 'held' });
  t.deepEqual(asked, ['a']);
});

test('a claim that was deleted by hand is no reason to fail when it is given back', async (t) => {
  const { api, clock, server } = await startHarness(t);
  const claims = createClaims({ api, clock });
  await claims.take({ lease, holder: 'a', hasLost: never });
  server.call('DELETE', '/apis/coordination.k8s.io/v1/namespaces/park/leases/place');
  await t.notThrowsAsync(claims.release(lease, 'a'));
});

test('a release that arrives after its holder has claimed again frees nothing', async (t) => {
  const clock = manualClock();
  const server = leaseServer(clock);
  const quick: NetworkCondition = { outMs: 1, backMs: 1, loses: 'nothing' };
  const slow: NetworkCondition = { ...quick, outMs: 3_000 };
  const conditions = [quick, quick, quick, slow];
  const transport = leaseLink({
    server,
    network: clock,
    replica: clock,
    networkCondition: () => conditions.shift() ?? quick,
    isCut: () => false,
  });
  const claims = createClaims({ api: createKubeApi({ transport, metrics: { count: () => undefined } }), clock });
  const during = async <T>(ms: number, work: Promise<T>): Promise<T> =>
    (await Promise.all([work, clock.advance(ms)]))[0];
  await during(10, claims.take({ lease, holder: 'a', hasLost: never }));
  const late = new AbortController();
  const release = t.throwsAsync(claims.release(lease, 'a', { signal: late.signal }), { message: 'given up' });
  await clock.advance(2_000);
  late.abort(new Error('given up'));
  await release;
  t.deepEqual(await during(10, claims.take({ lease, holder: 'a', hasLost: never })), { kind: 'held' });
  await clock.advance(5_000);
  t.deepEqual(await during(10, claims.take({ lease, holder: 'b', hasLost: never })), { kind: 'foreign', holder: 'a' });
});

const condition: fc.Arbitrary<NetworkCondition> = fc.record({
  outMs: fc.integer({ min: 1, max: 3_000 }),
  backMs: fc.integer({ min: 1, max: 3_000 }),
  loses: fc.constantFrom('nothing', 'nothing', 'nothing', 'request', 'answer'),
});

testProp(
  'two who claim and give back at the same time, over a network that delays and loses, never both hold',
  [
    fc.array(condition, { maxLength: 60, size: 'max' }),
    fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 2, maxLength: 20 }),
  ],
  async (t, conditions, pauses) => {
    const clock = manualClock();
    const server = leaseServer(clock);
    const holding = new Set<string>();
    const claimsOf = (): Claims => {
      const link = leaseLink({
        server,
        network: clock,
        replica: clock,
        networkCondition: () => conditions.shift() ?? { outMs: 1, backMs: 1, loses: 'nothing' },
        isCut: () => false,
      });
      return createClaims({ api: createKubeApi({ transport: link, metrics: { count: () => undefined } }), clock });
    };
    const within = async (work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> => {
      const late = new AbortController();
      const timer = clock.after(2_000, () => late.abort(new Error('late')));
      try {
        return await work(late.signal);
      } catch (error) {
        if (!isRelayError(error) && !late.signal.aborted) t.fail(String(error));
        return undefined;
      } finally {
        timer.cancel();
      }
    };
    const live = async (holder: string): Promise<void> => {
      const claims = claimsOf();
      for (const [n, pause] of pauses.entries()) {
        await clock.sleep(pause + (holder === 'a' ? n : 0));
        const claimed = (await within((signal) => claims.take({ lease, holder, hasLost: never }, { signal }))) as
          { kind: string } | undefined;
        if (claimed?.kind !== 'held') continue;
        holding.add(holder);
        t.is(holding.size, 1);
        await clock.sleep(pause);
        holding.delete(holder);
        await within((signal) => claims.release(lease, holder, { signal }));
      }
    };
    const lives = Promise.all([live('a'), live('b')]);
    await clock.advance(400_000);
    await lives;
    t.pass();
  },
  { numRuns: 300 },
);
