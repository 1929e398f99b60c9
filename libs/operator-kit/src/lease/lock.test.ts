import test from 'ava';
import { mayWrite, sight, type Sighting } from './lock.ts';
import { type Lease, readLease, writeLease } from './record.ts';

const lease = (spec: unknown, resourceVersion = '1'): Lease => ({
  metadata: { name: 'kit', uid: 'u', resourceVersion },
  spec: spec as NonNullable<Lease['spec']>,
});
const decide = (seen: Sighting, now: number): 'take' | 'leave' =>
  mayWrite(seen, 'me', 15_000, now) ? 'take' : 'leave';
const held = { holderIdentity: 'other', leaseDurationSeconds: 15 };

const heldFor = (seconds: unknown) => sight(undefined, lease({ ...held, leaseDurationSeconds: seconds }), 0);

test('what counts is how long the own clock saw no change', (t) => {
  const first = sight(undefined, lease(held), 1_000);
  t.is(decide(first, 15_999), 'leave');
  t.is(decide(first, 16_000), 'take');
  const same = sight(first, lease(held), 9_000);
  t.is(decide(same, 16_000), 'take');
  const renewed = sight(same, lease(held, '2'), 10_000);
  t.is(decide(renewed, 24_999), 'leave');
  t.is(decide(renewed, 25_000), 'take');
});

test('times that the lease names are not believed', (t) => {
  for (const renewTime of ['1970-01-01T00:00:00.000000Z', '2099-01-01T00:00:00.000000Z', 'nonsense', 7]) {
    const seen = sight(undefined, lease({ ...held, renewTime }), 0);
    t.is(decide(seen, 14_999), 'leave');
    t.is(decide(seen, 15_000), 'take');
  }
});

test('a holder that may be silent for longer is waited for, one that asks for too much is not', (t) => {
  t.is(decide(heldFor(60), 59_999), 'leave');
  t.is(decide(heldFor(60), 60_000), 'take');
  t.is(decide(heldFor(1), 14_999), 'leave');
  t.is(decide(heldFor(10 ** 9), 600_000), 'take');
  for (const broken of [-5, Number.NaN, 'x', null, undefined]) t.is(decide(heldFor(broken), 15_000), 'take');
});

test('one that is own, or was given back, is taken at once', (t) => {
  t.is(decide(sight(undefined, lease({ ...held, holderIdentity: 'me' }), 0), 0), 'take');
  t.is(decide(sight(undefined, lease({ ...held, holderIdentity: '' }), 0), 0), 'take');
  t.is(decide(sight(undefined, lease(undefined), 0), 0), 'take');
});

test('one that is not there may be made', (t) => {
  t.is(decide(sight(undefined, undefined, 0), 0), 'take');
});

test('one that was made anew under its name is another one', (t) => {
  const first = sight(undefined, lease(held), 0);
  const anew = sight(first, { ...lease(held), metadata: { name: 'kit', uid: 'v', resourceVersion: '1' } }, 9_000);
  t.like(anew, { since: 9_000, born: 9_000 });
  t.like(sight(first, lease(held, '2'), 9_000), { since: 9_000, born: 0 });
  t.like(sight(first, undefined, 9_000), { since: 9_000, born: 9_000 });
});

test('a lease is written with the times of this machine for people, and counts its holders', (t) => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const ref = { namespace: 'park', name: 'kit' };
  const first = writeLease(ref, undefined, { holder: 'me', durationMs: 14_500, now });
  t.deepEqual(first, {
    metadata: { name: 'kit', namespace: 'park' },
    spec: {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.678000Z',
      renewTime: '2026-01-02T03:04:05.678000Z',
      leaseTransitions: 1,
    },
  });
  const renewed = writeLease(ref, first, { holder: 'me', durationMs: 15_000, now: now + 2_000 });
  t.like(renewed.spec, {
    acquireTime: '2026-01-02T03:04:05.678000Z',
    renewTime: '2026-01-02T03:04:07.678000Z',
    leaseTransitions: 1,
  });
  const released = writeLease(ref, renewed, { holder: '', durationMs: 1_000, now: now + 3_000 });
  t.deepEqual(readLease(released), {
    holder: '',
    durationMs: 1_000,
    acquireTime: '2026-01-02T03:04:08.678000Z',
    transitions: 1,
  });
  t.is(readLease(writeLease(ref, released, { holder: 'you', durationMs: 1, now })).transitions, 2);
});

test('what somebody put on a lease stays, but for who manages its fields', (t) => {
  const seen = { metadata: { name: 'kit', resourceVersion: '7', labels: { a: 'b' }, managedFields: [{}] }, spec: held };
  const written = writeLease({ name: 'kit' }, seen, { holder: 'me', durationMs: 1, now: 0 });
  t.deepEqual(written.metadata as unknown, { name: 'kit', resourceVersion: '7', labels: { a: 'b' } });
});
