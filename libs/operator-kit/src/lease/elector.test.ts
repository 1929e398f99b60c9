import { seededRandom, silentLogger, manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createKubeApi } from '../api/create.ts';
import { startLeaderElection, type LeaderElectionHarness } from '../test/leader-election-harness.ts';
import { leaseLink, leaseServer, type NetworkCondition } from '../test/lease-network.ts';
import { createElector } from './elector.ts';
import { type Lease, readLease } from './record.ts';

const collection = 'coordination.k8s.io/v1/leases';
const leaseOf = ({ server }: LeaderElectionHarness) =>
  readLease(server.store.get(collection, 'park/kit') as unknown as Lease);
const quick: NetworkCondition = { outMs: 5, backMs: 5, loses: 'nothing' };

/** Passes time until somebody leads, at most two minutes; how long it took, ms. */
const untilLed = async (harness: LeaderElectionHarness): Promise<number> => {
  const since = harness.clock.monotonic();
  while (harness.leaders().length === 0 && harness.clock.monotonic() - since < 120_000) await harness.advance(100);
  return harness.clock.monotonic() - since;
};

test('where no lease is, it is waited for as long as one may hold that was deleted', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1] });
  const took = await untilLed(harness);
  t.true(took >= 15_000 && took <= 18_000, String(took));
  t.is(leaseOf(harness).transitions, 1);
});

test('a lease that was made and deleted between two looks of another one makes no second leader', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1] });
  await untilLed(harness);
  const [first = 0] = harness.leaders();
  const others = harness.replicas.filter((_, at) => at !== first);
  for (let n = 0; n < 40; n += 1) {
    harness.server.store.remove(collection, 'park/kit');
    await harness.advance(300 + 100 * (n % 7));
    // Those who wait hear of nothing but that there is none.
    for (const other of others) other.cutUntil = n % 3 === 0 ? 0 : harness.clock.monotonic() + 350;
  }
  t.deepEqual(harness.problems, []);
  await harness.advance(60_000);
  t.deepEqual(harness.problems, []);
  t.is(harness.leaders().length, 1);
});

test('one who made the lease and ends before he leads does not offer it to others', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1] });
  await harness.advance(3_000);
  const holder = leaseOf(harness).holder;
  const maker = harness.replicas.findIndex((_, at) => holder.startsWith(`replica-${at}-`));
  await Promise.all([harness.replicas[maker]?.elector.stop(1_000), harness.advance(1_500)]);
  t.is(leaseOf(harness).holder, holder);
  const took = await untilLed(harness);
  t.true(took >= 12_000, String(took));
});

test('a leader that stops gives the lease back, and another one leads within seconds', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1], endMs: 1_000 });
  await untilLed(harness);
  const [first = 0] = harness.leaders();
  const stopped = harness.replicas[first]?.elector.stop(10_000);
  await harness.advance(500);
  t.deepEqual(harness.leaders(), [first], 'it leads until its work has ended');
  await harness.advance(1_000);
  await stopped;
  t.true((await untilLed(harness)) <= 3_000);
  t.deepEqual(harness.leaders(), [1 - first]);
  t.deepEqual(harness.problems, []);
});

test('a leader whose work does not end in time keeps the lease from others until it runs out', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1], endMs: 60_000 });
  await untilLed(harness);
  const [first = 0] = harness.leaders();
  let stopped = false;
  void harness.replicas[first]?.elector.stop(5_000).then(() => (stopped = true));
  await harness.advance(4_900);
  t.false(stopped);
  t.deepEqual(harness.leaders(), [first]);
  await harness.advance(200);
  t.true(stopped);
  t.deepEqual(harness.leaders(), []);
  const took = await untilLed(harness);
  t.true(took >= 10_000 && took <= 18_000, String(took));
  t.deepEqual(harness.problems, []);
});

test('a leader that is cut off steps down before anybody else can lead', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1] });
  await untilLed(harness);
  const [first = 0] = harness.leaders();
  const replica = harness.replicas[first];
  if (replica) replica.cutUntil = Infinity;
  await harness.advance(10_100);
  t.deepEqual(harness.leaders(), []);
  t.true((await untilLed(harness)) <= 8_000);
  t.deepEqual(harness.leaders(), [1 - first]);
  t.deepEqual(harness.problems, []);
});

test('a holder relies on the lease from when it asked, not from when the answer came', async (t) => {
  const late: NetworkCondition = { outMs: 5, backMs: 3_900, loses: 'nothing' };
  const harness = startLeaderElection({ rates: [1], networkConditions: Array.from({ length: 40 }, () => late) });
  await untilLed(harness);
  const [replica] = harness.replicas;
  if (replica) replica.cutUntil = Infinity;
  // The request left 3.9 s before this process knew that it leads.
  await harness.advance(6_200);
  t.deepEqual(harness.leaders(), []);
});

test('an answer that says somebody else has the lease ends the work at once', async (t) => {
  const harness = startLeaderElection({ rates: [1] });
  await untilLed(harness);
  const lease = harness.server.store.get(collection, 'park/kit') as { spec: object };
  harness.server.store.update(
    collection,
    'park/kit',
    { ...lease, spec: { ...lease.spec, holderIdentity: 'somebody' } },
    false,
  );
  await harness.advance(3_000);
  t.false(harness.replicas[0]?.works);
  t.deepEqual(harness.leaders(), []);
});

test('a lease that somebody touched stays with its holder', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1] });
  await untilLed(harness);
  const [first] = harness.leaders();
  const lease = harness.server.store.get(collection, 'park/kit') as { metadata: object };
  const metadata = { ...lease.metadata, annotations: { by: 'hand' } };
  harness.server.store.update(collection, 'park/kit', { ...lease, metadata }, false);
  await harness.advance(20_000);
  t.deepEqual(harness.leaders(), [first]);
  t.is(harness.replicas.flatMap(({ led }) => led).length, 1);
});

test('a lease that somebody deleted is made again at once by a holder who is first to see it, who leads on', async (t) => {
  const harness = startLeaderElection({ rates: [1] });
  await untilLed(harness);
  harness.server.store.remove(collection, 'park/kit');
  await harness.advance(20_000);
  t.deepEqual(harness.leaders(), [0]);
  t.is(harness.replicas[0]?.led.length, 1);
});

test('a lease whose taking was carried out without an answer is taken by its holder, not waited for', async (t) => {
  const harness = startLeaderElection({ rates: [1], lostWrites: 1 });
  const took = await untilLed(harness);
  t.true(took >= 19_000 && took <= 25_000, String(took));
  t.is(leaseOf(harness).transitions, 1);
});

test('a renewal without an answer is no reason to step down while there is time', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1] });
  await untilLed(harness);
  const [first = 0] = harness.leaders();
  const replica = harness.replicas[first];
  for (let n = 0; n < 5; n += 1) {
    if (replica) replica.cutUntil = harness.clock.monotonic() + 6_000;
    await harness.advance(12_000);
  }
  t.deepEqual(harness.replicas.map(({ led }) => led.length).toSorted(), [0, 1]);
});

test('the work of a leader that ends by itself gives the lease back, and is begun again', async (t) => {
  const clock = manualClock();
  const server = leaseServer(clock);
  const transport = leaseLink({
    server,
    network: clock,
    replica: clock,
    networkCondition: () => quick,
    isCut: () => false,
  });
  let led = 0;
  const gauge: number[] = [];
  const elector = createElector({
    api: createKubeApi({ transport, metrics: { count: () => undefined } }),
    clock,
    random: seededRandom(1),
    log: silentLogger(),
    metrics: { set: (_, value) => gauge.push(value) },
    lease: { namespace: 'park', name: 'kit' },
    identity: 'a',
    lead: () => {
      led += 1;
      t.is(gauge.at(-1), 1);
      throw new TypeError('broken');
    },
  });
  elector.start();
  await clock.advance(40_000);
  t.true(led >= 8 && led <= 15, String(led));
  t.is(readLease(server.store.get(collection, 'park/kit') as unknown as Lease).holder, '');
  await elector.stop(1_000);
  await clock.advance(10_000);
  t.false(elector.leading());
  t.deepEqual([gauge[0], gauge.at(-1)], [0, 0]);
});

test('the metric says that a process does not lead as soon as it has lost the lease, whatever its work does', async (t) => {
  const clock = manualClock();
  const server = leaseServer(clock);
  let cut = false;
  const transport = leaseLink({
    server,
    network: clock,
    replica: clock,
    networkCondition: () => quick,
    isCut: () => cut,
  });
  const gauge: number[] = [];
  const elector = createElector({
    api: createKubeApi({ transport, metrics: { count: () => undefined } }),
    clock,
    random: seededRandom(1),
    log: silentLogger(),
    metrics: { set: (_, value) => gauge.push(value) },
    lease: { namespace: 'park', name: 'kit' },
    identity: 'a',
    lead: () => new Promise(() => undefined),
  });
  elector.start();
  await clock.advance(20_000);
  t.deepEqual(gauge, [0, 1]);
  cut = true;
  await clock.advance(10_100);
  t.deepEqual(gauge, [0, 1, 0]);
  cut = false;
  await clock.advance(60_000);
  t.false(elector.leading(), 'nor does it lead again beside work that goes on');
});

test('an elector that stops before it leads, or before it starts, is done at once', async (t) => {
  const harness = startLeaderElection({ rates: [1] });
  await harness.advance(1_000);
  const stopped = harness.replicas[0]?.elector.stop(5_000);
  await harness.advance(100);
  await stopped;
  await harness.advance(60_000);
  t.is(harness.replicas[0]?.led.length, 0);
});

test('few calls: one for each look of those who wait, one for each renewal', async (t) => {
  const harness = startLeaderElection({ rates: [1, 1] });
  await untilLed(harness);
  const version = harness.server.store.version();
  await harness.advance(60_000);
  t.true(harness.server.store.version() - version <= 40);
});
