import test from 'ava';
import { deliver } from './post.ts';
import { answered, broken, scripted } from './test/scripted.ts';

const answersOf = ({ counting }: ReturnType<typeof scripted>): Record<string, number> =>
  Object.fromEntries(counting.now().answers);

test('a 200 acknowledges at once', async (t) => {
  const harness = scripted([answered(200)]);
  t.true(await deliver('body', harness.parts));
  t.deepEqual(answersOf(harness), { 200: 1 });
  t.is(harness.counting.now().retries, 0);
});

for (const status of [201, 202, 204, 302, 408, 429, 500, 503])
  test(`a ${status} is no acknowledgement; the same body is sent again`, async (t) => {
    const harness = scripted([answered(status), answered(200)]);
    const delivering = deliver('body', harness.parts);
    await harness.clock.advance(60_000);
    t.true(await delivering);
    t.deepEqual(
      harness.sent.map(({ body }) => body),
      ['body', 'body'],
    );
    t.is(harness.counting.now().retries, 1);
  });

for (const status of [400, 401, 404, 413, 415, 422])
  test(`a ${status} would come again, so the body is given up`, async (t) => {
    const harness = scripted([answered(status)]);
    t.false(await deliver('body', harness.parts));
    t.is(harness.sent.length, 1);
  });

test('a broken connection is tried again and counted by its reason', async (t) => {
  const harness = scripted([broken, answered(200)]);
  const delivering = deliver('body', harness.parts);
  await harness.clock.advance(60_000);
  t.true(await delivering);
  t.deepEqual(answersOf(harness), { ECONNRESET: 1, 200: 1 });
});

test('waits grow, and Retry-After is obeyed', async (t) => {
  const harness = scripted([answered(503), answered(503), answered(503, { retryAfterMs: 7_000 }), answered(200)]);
  const delivering = deliver('body', harness.parts);
  await harness.clock.advance(60_000);
  await delivering;
  const [first = 0, second = 0, third = 0, fourth = 0] = harness.sent.map(({ at }) => at);
  t.true(second - first >= 500 && second - first <= 750);
  t.true(third - second >= 1_000 && third - second <= 1_250);
  t.is(fourth - third, 7_000);
});

test('the end of the run ends the trying, and an answer that was cut off counts as none', async (t) => {
  const harness = scripted([answered(200)], 1_000);
  const delivering = deliver('body', harness.parts);
  await harness.clock.advance(500);
  harness.abort();
  t.false(await delivering);
  t.deepEqual(answersOf(harness), {});
});

test('the end of the run ends a wait', async (t) => {
  const harness = scripted([answered(503, { retryAfterMs: 3_600_000 })]);
  const delivering = deliver('body', harness.parts);
  await harness.clock.advance(1);
  harness.abort();
  t.false(await delivering);
  t.is(harness.sent.length, 1);
});

test('what the ingester says it stored is added up', async (t) => {
  const body = { total_observations: 3, total_messages: 2, rejected: [{ index: 0 }] };
  const harness = scripted([answered(200, { body })]);
  await deliver('a', harness.parts);
  await deliver('b', harness.parts);
  t.like(harness.counting.now(), { observations: 6, messages: 4, rejected: 2 });
});

test('a 200 whose body is something else is acknowledged and counts nothing stored', async (t) => {
  const harness = scripted([{ status: 200, body: '<html>', retryAfterMs: undefined }]);
  t.true(await deliver('body', harness.parts));
  t.like(harness.counting.now(), { observations: 0, messages: 0, rejected: 0 });
});
