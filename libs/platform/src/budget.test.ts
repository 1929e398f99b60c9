import { RelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { ingesterBudget, patientBudget, withBudget, type Budget } from './api.ts';

const noJitter = { next: () => 0, uuid: () => '' };
const down = (retryAfterMs?: number): RelayError =>
  new RelayError('platform_unavailable', {
    details: { reason: 'down' },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const failingRun = async (budget: Budget, error: () => Error) => {
  const clock = manualClock();
  const starts: number[] = [];
  const result = withBudget(budget, { clock, random: noJitter }, () => {
    starts.push(clock.monotonic());
    return Promise.reject(error());
  }).catch((failure: unknown) => failure);
  await clock.advance(200_000);
  return { starts, failure: await result, pending: clock.pending() };
};

test('six tries, doubling from two seconds to thirty', async (t) => {
  const { starts, failure, pending } = await failingRun(patientBudget, down);
  t.deepEqual(starts, [0, 2_000, 6_000, 14_000, 30_000, 60_000]);
  t.true(failure instanceof RelayError);
  t.is(pending, 0);
});

test('a webhook waits three seconds in all', async (t) => {
  const { starts } = await failingRun(ingesterBudget, down);
  t.deepEqual(starts, [0, 2_000]);
});

test('with the most jitter there are fewer tries, never more time', async (t) => {
  const clock = manualClock();
  let calls = 0;
  const result = withBudget(patientBudget, { clock, random: { ...noJitter, next: () => 0.999 } }, () => {
    calls += 1;
    return Promise.reject(down());
  }).catch(() => clock.monotonic());
  await clock.advance(200_000);
  t.true((await result) <= 120_000);
  t.true(calls >= 4);
});

test('the wait that was asked for is kept, and one that does not fit ends the tries', async (t) => {
  t.deepEqual((await failingRun(patientBudget, () => down(20_000))).starts.slice(0, 3), [0, 20_000, 40_000]);
  t.deepEqual((await failingRun(patientBudget, () => down(120_000))).starts, [0]);
});

test('what another try cannot fix is not tried again', async (t) => {
  const { starts, failure } = await failingRun(patientBudget, () => new RelayError('http_status'));
  t.deepEqual(starts, [0]);
  t.is((failure as RelayError).code, 'http_status');
});

test('a try that outlasts the budget is not waited for, and its end harms nobody', async (t) => {
  const clock = manualClock();
  const late = Promise.withResolvers<string>();
  const result = withBudget(ingesterBudget, { clock, random: seededRandom(1) }, () => late.promise);
  const failure = t.throwsAsync(result, { instanceOf: RelayError });
  await clock.advance(3_000);
  t.is((await failure).code, 'platform_unavailable');
  late.reject(new Error('much later'));
  await clock.advance(1);
  t.is(clock.pending(), 0);
});

test('a success leaves no timer behind', async (t) => {
  const clock = manualClock();
  t.is(await withBudget(patientBudget, { clock, random: noJitter }, () => Promise.resolve(7)), 7);
  await clock.advance(0);
  t.is(clock.pending(), 0);
});
