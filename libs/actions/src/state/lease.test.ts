import { fc, testProp } from '@fast-check/ava';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { holderOf, takeLease, type Lease, type Taking } from './lease.ts';

const lost = () => new RelayError('action_lease_lost');

const harness = () => {
  const clock = manualClock();
  const random = seededRandom(1);
  const space = memorySpace(clock);
  const take = async (holder: string): Promise<Taking> => {
    const taking = takeLease({ space, clock, random, key: 'k', holder, lost });
    await clock.advance(0);
    return taking;
  };
  const taken = async (holder: string): Promise<Lease> => {
    const taking = await take(holder);
    if (taking.kind === 'held') throw new Error('held');
    return taking.lease;
  };
  const stored = (): string | undefined => space.values()['k'];
  const holder = (): string | undefined => holderOf(stored() ?? '') || undefined;
  return { clock, space, take, taken, stored, holder };
};

test('who comes second learns who has it', async (t) => {
  const { take, taken, stored } = harness();
  t.true((await taken('one')).held());
  t.deepEqual(await take('two'), { kind: 'held', by: stored() ?? '' });
  t.is(holderOf(stored() ?? ''), 'one');
});

test('it is renewed for as long as it is wanted, then free at once', async (t) => {
  const { clock, space, take, taken } = harness();
  const lease = await taken('one');
  await clock.advance(600_000);
  t.true(lease.held());
  t.is((await take('two')).kind, 'held');
  const releasing = lease.release();
  await clock.advance(0);
  await releasing;
  t.deepEqual(space.values(), {});
  t.false(lease.held());
  t.false(lease.signal.aborted);
  t.is(clock.pending(), 0);
});

test('the lease of a process that is gone is free after 30 s, not before', async (t) => {
  const { clock, take, taken } = harness();
  (await taken('one')).abandon();
  await clock.advance(29_900);
  t.is((await take('two')).kind, 'held');
  await clock.advance(200);
  t.is((await take('two')).kind, 'taken');
});

test('its owner learns that it was taken away', async (t) => {
  const { clock, space, taken } = harness();
  const lease = await taken('one');
  void space.set('k', 'two');
  await clock.advance(10_001);
  t.false(lease.held());
  t.true(isRelayError(lease.signal.reason, 'action_lease_lost'));
  t.deepEqual(space.values(), { k: 'two' });
});

for (const fault of ['away', 'hung'] as const)
  test(`it counts as lost before it can run out while the store is ${fault}`, async (t) => {
    const { clock, space, taken, holder } = harness();
    const lease = await taken('one');
    space[fault] = true;
    await clock.advance(27_900);
    t.true(lease.held());
    await clock.advance(200);
    t.true(lease.signal.aborted);
    space[fault] = false;
    await clock.advance(0);
    t.is(holder(), 'one');
  });

test('one renewal that fails is made up by the next', async (t) => {
  const { clock, space, taken } = harness();
  const lease = await taken('one');
  space.away = true;
  await clock.advance(19_000);
  space.away = false;
  await clock.advance(60_000);
  t.true(lease.held());
});

test('a process that stood still does not believe to have it', async (t) => {
  const { clock, taken } = harness();
  const lease = await taken('one');
  lease.abandon();
  await clock.advance(40_000);
  t.false(lease.held());
});

test('a wish that may have been carried out although its answer was lost blocks nobody', async (t) => {
  const { clock, space, take } = harness();
  const real = space.setIfAbsent;
  space.setIfAbsent = async (...args) => {
    await real(...args);
    throw new RelayError('kv_unavailable', { details: { reason: 'lost' } });
  };
  await t.throwsAsync(take('one'));
  await clock.advance(0);
  t.deepEqual(space.values(), {});
});

test('a release that the store executes late does not end the next lease of the same holder', async (t) => {
  const { clock, space, take, taken, holder } = harness();
  const first = await taken('one');
  space.delays = true;
  await first.release();
  space.delays = false;
  await clock.advance(31_000);
  t.is((await take('one')).kind, 'taken');
  space.arrive();
  t.is(holder(), 'one');
});

/** What happens to two processes and their store. */
const who = fc.nat({ max: 1 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const), who }) },
  fc.record({ kind: fc.constant('release' as const), who }),
  fc.record({ kind: fc.constant('leave' as const), who }),
  fc.record({ kind: fc.constant('away' as const), on: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delay' as const), on: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('arrive' as const) }) },
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 45_000 }) }),
);

testProp(
  'two processes and one store, whatever is late or lost: never two at once, and the store names the one that holds it',
  [fc.array(step, { minLength: 1, maxLength: 60, size: 'max' })],
  async (t, steps) => {
    const { clock, space, take, holder } = harness();
    const leases: (Lease | undefined)[] = [undefined, undefined];
    for (const each of steps) {
      if (each.kind === 'take' && !leases[each.who]?.held()) {
        const result = await take(`process ${each.who}`).catch(() => undefined);
        if (result?.kind === 'taken') leases[each.who] = result.lease;
      } else if (each.kind === 'release') void leases[each.who]?.release();
      else if (each.kind === 'leave') leases[each.who]?.abandon();
      else if (each.kind === 'away') space.away = each.on;
      else if (each.kind === 'delay') space.delays = each.on;
      else if (each.kind === 'arrive') space.arrive();
      else if (each.kind === 'wait') await clock.advance(each.ms);
      const holding = [0, 1].filter((who) => leases[who]?.held());
      t.true(holding.length <= 1);
      if (holding.length === 1) t.is(holder(), `process ${holding[0]}`);
    }
  },
  { numRuns: 500 },
);
