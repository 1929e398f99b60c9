import { fc, testProp } from '@fast-check/ava';
import type { NetworkCondition } from '../test/lease-network.ts';
import { startLeaderElection, type LeaderElectionHarness } from '../test/leader-election-harness.ts';

const condition: fc.Arbitrary<NetworkCondition> = fc.record({
  outMs: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 20_000 })),
  backMs: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 20_000 })),
  loses: fc.constantFrom('nothing', 'nothing', 'nothing', 'request', 'answer'),
});
const networkConditions = fc.array(condition, { maxLength: 80, size: 'max' });
const kinds = ['cut', 'freeze', 'skew', 'kill', 'restart', 'stop', 'delete', 'touch', 'pass'] as const;
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.integer({ min: 0, max: 2 }),
  ms: fc.integer({ min: 1, max: 40_000 }),
  thenMs: fc.integer({ min: 0, max: 10_000 }),
});
const steps = fc.array(step, { maxLength: 10, size: 'max' });
const rates = fc.array(fc.double({ min: 0.85, max: 1.15, noNaN: true }), { minLength: 2, maxLength: 3 });
const seed = fc.integer({ min: 0, max: 2 ** 31 });
const endMs = fc.integer({ min: 0, max: 3_000 });

type Step = { kind: (typeof kinds)[number]; who: number; ms: number; thenMs: number };

const collection = 'coordination.k8s.io/v1/leases';

const act = (harness: LeaderElectionHarness, { kind, who, ms }: Step): void => {
  const { replicas, server, clock } = harness;
  const replica = replicas[who % replicas.length];
  if (!replica) return;
  const lease = server.store.get(collection, 'park/kit');
  if (kind === 'cut') replica.cutUntil = clock.monotonic() + ms;
  if (kind === 'freeze') replica.clock.freeze(ms);
  if (kind === 'skew') replica.clock.skew((ms - 20_000) * 1_000);
  if (kind === 'kill' || kind === 'restart') replica.kill(true);
  if (kind === 'stop') void replica.elector.stop(2_000).then(() => replica.kill(true));
  if (kind === 'delete') server.store.remove(collection, 'park/kit');
  if (kind === 'touch' && lease)
    server.store.update(
      collection,
      'park/kit',
      { ...lease, metadata: { ...(lease['metadata'] as object), annotations: { touched: String(clock.monotonic()) } } },
      false,
    );
};

testProp(
  'two or three electors are never both leader, whatever happens to clocks, network, processes and the lease, and somebody leads again soon',
  [rates, networkConditions, steps, endMs, seed],
  async (t, rates, networkConditions, steps, endMs, seed) => {
    const harness = startLeaderElection({ rates, networkConditions, endMs, seed });
    for (const each of steps) {
      act(harness, each as Step);
      await harness.advance(each.thenMs);
    }
    t.deepEqual(harness.problems, []);
    harness.settle();
    // Processes may be frozen for 40 s, or answers late by 20; then it takes one lease and a few tries.
    await harness.advance(75_000);
    t.deepEqual(harness.problems, []);
    t.is(harness.leaders().length, 1);
  },
  { numRuns: 300 },
);

testProp(
  'without faults the first leader stays, and wall clocks that are hours apart change nothing',
  [rates, fc.array(fc.integer({ min: -90_000_000, max: 90_000_000 }), { minLength: 3, maxLength: 3 }), seed],
  async (t, rates, skews, seed) => {
    const harness = startLeaderElection({ rates, seed });
    for (const [at, { clock }] of harness.replicas.entries()) clock.skew(skews[at] ?? 0);
    await harness.advance(25_000);
    const [leader] = harness.leaders();
    await harness.advance(60_000);
    t.deepEqual(harness.problems, []);
    t.deepEqual(harness.leaders(), [leader]);
    t.is(harness.replicas.flatMap(({ led }) => led).length, 1);
  },
  { numRuns: 200 },
);
