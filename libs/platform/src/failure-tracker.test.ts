import { RelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createFailureTracker, emergencyPolicy, steadyPolicy, type LaneRef } from './failure-tracker.ts';

const failure = {
  outage: (ambiguous = false, retryAfterMs?: number): RelayError =>
    new RelayError('platform_unavailable', {
      details: { reason: 'status 503' },
      ambiguous,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }),
  keyRefused: (): RelayError => new RelayError('api_key_refused', { details: { integration: 'x', reason: '401' } }),
  gone: (): RelayError => new RelayError('integration_gone', { details: { integration: 'x' } }),
};

const lane = (integrationId: string, name = 0): LaneRef => ({ integrationId, lane: `live/${name}/${integrationId}` });
const a = lane('a');
const b = lane('b');

const setUp = (policy = steadyPolicy(10_000)) => {
  const clock = manualClock();
  const tracker = createFailureTracker(clock, seededRandom(1), policy);
  const fail = (ref: LaneRef, error: RelayError = failure.outage(true)): void =>
    tracker.failed(ref, error, clock.monotonic());
  const wait = (ref: LaneRef): number => tracker.waiting(ref)?.afterMs ?? 0;
  /** Waits that follow each other while nothing succeeds. */
  const waits = async (count: number, error: () => RelayError): Promise<number[]> => {
    const all: number[] = [];
    for (let n = 0; n < count; n += 1) {
      fail(a, error());
      all.push(wait(a));
      await clock.advance(wait(a));
    }
    return all;
  };
  return { clock, tracker, fail, wait, waits };
};

test('waits double from one second to one minute', async (t) => {
  const waits = await setUp().waits(9, () => failure.outage());
  waits.slice(0, 6).forEach((wait, n) => t.true(wait >= 1_000 * 2 ** n && wait <= 1_000 * 2 ** n + 500));
  t.deepEqual(waits.slice(6), [60_000, 60_000, 60_000]);
});

test('a refused key waits half a minute to ten minutes', async (t) => {
  const waits = await setUp().waits(7, failure.keyRefused);
  t.true((waits[0] ?? 0) >= 30_000);
  t.is(waits.at(-1), 600_000);
});

test('an emergency is tried at least every three seconds, whatever fails and whatever wait is asked for', async (t) => {
  for (const error of [failure.keyRefused, failure.gone, () => failure.outage(true, 3_600_000)])
    t.true((await setUp(emergencyPolicy).waits(10, error)).every((wait) => wait <= 3_000));
});

test('a Retry-After is obeyed for a minute, then one item a minute is tried until five minutes are over', async (t) => {
  const { tracker, fail, wait, clock } = setUp();
  fail(a, failure.outage(false, 3_600_000));
  t.is(wait(a), 60_000);
  await clock.advance(60_000);
  t.true(tracker.isProbing('a'));
  await clock.advance(240_000);
  t.false(tracker.isProbing('a'));
  fail(a, failure.outage(false, 42_000));
  t.is(wait(a), 42_000);
  t.false(tracker.isProbing('a'));
});

test('failures of several lanes in one waiting time count once', (t) => {
  const { fail, wait } = setUp();
  fail(a);
  const first = wait(a);
  for (let n = 1; n < 12; n += 1) fail(lane('a', n));
  t.is(wait(a), first);
});

test('a lane that fails while its integration works waits alone', async (t) => {
  const { tracker, fail, wait, clock } = setUp();
  fail(a);
  await clock.advance(wait(a));
  tracker.succeeded(lane('a', 1));
  fail(a);
  t.true(wait(a) > 0);
  t.is(wait(lane('a', 1)), 0);
  t.is(tracker.slots('a'), 3);
});

test('an integration that fails has one call in flight, one that works three', (t) => {
  const { tracker, fail } = setUp();
  t.is(tracker.slots('a'), 3);
  fail(a);
  t.is(tracker.slots('a'), 1);
});

test('a recovery lets all try again, also those that wait for their keys, but not at once after a failure', async (t) => {
  const { tracker, fail, wait, clock } = setUp();
  for (const ref of [a, b]) fail(ref, failure.keyRefused());
  await clock.advance(20_000);
  t.true(tracker.succeeded(a));
  t.true(wait(b) > 5_000);
  tracker.wakeAll();
  t.is(wait(b), 0);
  fail(b, failure.keyRefused());
  tracker.wakeAll();
  t.true(wait(b) > 0 && wait(b) <= 5_000);
  t.false(tracker.succeeded(a));
});

test('proof that others work is a success after the failure began, of somebody who is not failing', async (t) => {
  const { tracker, fail, clock } = setUp();
  tracker.succeeded(b);
  await clock.advance(1_000);
  fail(a, failure.keyRefused());
  t.false(tracker.shouldPark(a), 'b worked before');
  tracker.succeeded(a);
  fail(a, failure.keyRefused());
  t.false(tracker.shouldPark(a), 'its own success');
  await clock.advance(1_000);
  tracker.succeeded(b);
  t.true(tracker.shouldPark(a));
  await clock.advance(1_000);
  fail(b, failure.keyRefused());
  t.false(tracker.shouldPark(a), 'b fails itself by now');
});

test('when every key is refused nobody is parked', async (t) => {
  const { tracker, fail, clock } = setUp();
  for (const ref of [a, b]) tracker.succeeded(ref);
  for (let n = 0; n < 20; n += 1) {
    await clock.advance(5_000);
    for (const ref of [a, b]) fail(ref, failure.keyRefused());
    t.false(tracker.shouldPark(a) || tracker.shouldPark(b));
  }
});

test('an outage of one integration parks it after ten seconds, counted from the start of its first failing call', async (t) => {
  const { tracker, clock } = setUp();
  const startedAt = clock.monotonic();
  await clock.advance(9_000);
  tracker.succeeded(b);
  tracker.failed(a, failure.outage(true), startedAt);
  t.false(tracker.shouldPark(a));
  await clock.advance(1_000);
  t.true(tracker.shouldPark(a));
});

test('a lane that has not moved for a minute is parked also when only its own integration works', async (t) => {
  const { tracker, fail, clock } = setUp();
  fail(a);
  for (let n = 0; n < 59; n += 1) {
    await clock.advance(1_000);
    tracker.succeeded(lane('a', 1));
    t.false(tracker.shouldPark(a));
  }
  await clock.advance(1_000);
  t.true(tracker.shouldPark(a));
});

test('three ambiguous failures while others are accepted, and not before, make a lane’s items suspect', async (t) => {
  const { tracker, fail, clock } = setUp();
  for (let n = 0; n < 3; n += 1) {
    t.false(tracker.shouldIsolate(a));
    fail(a, failure.outage(true));
    await clock.advance(5_000);
  }
  t.false(tracker.shouldIsolate(a), 'nobody succeeded');
  tracker.succeeded(b);
  t.true(tracker.shouldIsolate(a));
  tracker.succeeded(a);
  for (let n = 0; n < 5; n += 1) {
    await clock.advance(5_000);
    fail(a, failure.outage(false));
    tracker.succeeded(b);
  }
  t.false(tracker.shouldIsolate(a), 'the platform took nothing for sure');
});

test('any other failure begins the count of answers that an integration is gone anew', async (t) => {
  const { tracker, fail, clock } = setUp();
  const answer = async (error: RelayError): Promise<void> => {
    fail(a, error);
    tracker.succeeded(b);
    await clock.advance(300_000);
  };
  for (let n = 0; n < 3; n += 1) await answer(failure.gone());
  await answer(failure.outage());
  await answer(failure.gone());
  t.false(tracker.isGone('a'));
  for (let n = 0; n < 4; n += 1) await answer(failure.gone());
  t.true(tracker.isGone('a'));
});

test('an integration is gone after three answers over fifteen minutes with nothing else in between', async (t) => {
  const { tracker, fail, clock } = setUp();
  fail(a, failure.gone());
  for (let minutes = 0; minutes < 14; minutes += 1) {
    await clock.advance(60_000);
    fail(a, failure.gone());
    t.false(tracker.isGone('a'));
  }
  await clock.advance(600_000);
  fail(a, failure.outage());
  await clock.advance(600_000);
  fail(a, failure.gone());
  t.false(tracker.isGone('a'), 'something else in between');
  for (let n = 0; n < 2; n += 1) {
    await clock.advance(600_000);
    fail(a, failure.gone());
  }
  t.false(tracker.isGone('a'), 'nobody else was accepted: the address of the platform may be wrong');
  tracker.succeeded(b);
  t.true(tracker.isGone('a'));
  tracker.succeeded(a);
  t.false(tracker.isGone('a'));
  for (let n = 0; n < 4; n += 1) {
    fail(a, failure.gone());
    await clock.advance(8 * 3_600_000);
  }
  t.true(tracker.isGone('a'), 'for a day');
});
