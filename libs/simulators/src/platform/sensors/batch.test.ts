import test from 'ava';
import { bodyOf, first, message, observation, second, startHarness } from '../../test/harness.ts';

type Stored = { object_id: string; created_at: string };

test('an object is answered with an object, a list with a list in the same order', async (t) => {
  const harness = await startHarness(t);
  const single = await harness.post('/v2/observations/', observation());
  t.is(single.status, 200);
  t.is(typeof bodyOf<Stored>(single).object_id, 'string');
  const list = await harness.post('/v2/messages/', [message(1), message(2), message(1)]);
  t.is(list.status, 200);
  t.is(new Set(bodyOf<Stored[]>(list).map(({ object_id }) => object_id)).size, 3);
});

test('one bad item refuses the whole list, with an entry for each item', async (t) => {
  const harness = await startHarness(t);
  const bad = observation(1, { location: { lat: 91, lon: 0 } });
  const reply = await harness.post('/v2/observations/', [observation(0), bad, observation(2)]);
  t.is(reply.status, 400);
  const [before, offender, after] = bodyOf<Record<string, string[]>[]>(reply);
  t.deepEqual([before, after], [{}, {}]);
  t.deepEqual(Object.keys(offender ?? {}), ['location']);
  t.deepEqual(harness.platform.stats().items['observation'], {
    arrived: 3,
    stored: 0,
    duplicate: 0,
    marked: 0,
    refused: 3,
    failed: 0,
  });
  t.is((await harness.post('/v2/observations/', [observation(0), observation(2)])).status, 200);
  t.is(harness.platform.stats().items['observation']?.stored, 2);
});

test('a bad object is refused with an object', async (t) => {
  const harness = await startHarness(t);
  const reply = await harness.post('/v2/observations/', observation(0, { source: null }));
  t.is(reply.status, 400);
  t.deepEqual(bodyOf(reply), { source: ['This field may not be null.'] });
});

test('a null text fails the whole batch with 500, and none of it is stored', async (t) => {
  const harness = await startHarness(t);
  const reply = await harness.post('/v2/messages/', [message(0), message(1, { text: null })]);
  t.is(reply.status, 500);
  t.like(harness.platform.stats().items['message'], { arrived: 2, stored: 0, failed: 2 });
  t.is(harness.platform.stats().violations['text that breaks the platform'], 1);
  t.is((await harness.post('/v2/messages/', [message(0)])).status, 200);
  t.is(harness.platform.stats().items['message']?.stored, 1);
});

test('the key of a deleted integration is 400, on every item of a list', async (t) => {
  const harness = await startHarness(t);
  harness.platform.integrations.delete(first);
  const list = await harness.post('/v2/observations/', [observation(0), observation(1)]);
  t.is(list.status, 400);
  const entries = bodyOf<{ non_field_errors: string[] }[]>(list);
  t.is(entries.length, 2);
  t.true(entries.every(({ non_field_errors }) => /API Key/.test(non_field_errors[0] ?? '')));
  const single = await harness.post('/v2/observations/', observation(0));
  t.regex(bodyOf<{ non_field_errors: string[] }>(single).non_field_errors[0] ?? '', /API Key/);
});

test('a refused, unknown or missing key is stopped with a message', async (t) => {
  const harness = await startHarness(t);
  harness.platform.integrations.put({ id: second, key_state: 'refused' });
  for (const [key, status] of [
    ['key-2', 403],
    ['nonsense', 401],
  ] as const) {
    const reply = await harness.post('/v2/observations/', [observation()], key);
    t.is(reply.status, status);
    t.deepEqual(Object.keys(bodyOf<object>(reply)), ['message']);
  }
  t.is((await harness.call('POST', '/v2/observations/', { body: '[]' })).status, 401);
});

test('a rotated key is refused from then on, the new one works', async (t) => {
  const harness = await startHarness(t);
  const fresh = harness.platform.integrations.rotateKey(first);
  t.is((await harness.post('/v2/observations/', observation(0), 'key-1')).status, 401);
  t.is((await harness.post('/v2/observations/', observation(0), fresh)).status, 200);
});

test('a repeat within 30 minutes is answered 200 and dropped, and renews its mark', async (t) => {
  const harness = await startHarness(t);
  const send = () => harness.post('/v2/messages/', [message()]);
  await send();
  for (const minutes of [29, 29, 29]) {
    harness.clock.advance(minutes * 60_000);
    t.is((await send()).status, 200);
  }
  t.like(harness.platform.stats().items['message'], { stored: 1, duplicate: 3 });
  harness.clock.advance(30 * 60_000);
  await send();
  t.is(harness.platform.stats().items['message']?.stored, 2);
});

test('the same item of another integration or source is no repeat, another order of its members is one', async (t) => {
  const harness = await startHarness(t);
  await harness.post('/v2/observations/', observation(0));
  await harness.post('/v2/observations/', observation(0), 'key-2');
  await harness.post('/v2/observations/', observation(0, { source: 'other' }));
  t.is(harness.platform.stats().items['observation']?.stored, 3);
  await harness.post('/v2/observations/', Object.fromEntries(Object.entries(observation(0)).toReversed()));
  t.like(harness.platform.stats().items['observation'], { stored: 3, duplicate: 1 });
});

test('more than 100 items, an empty list and unknown members count as violations', async (t) => {
  const harness = await startHarness(t);
  t.is(
    (
      await harness.post(
        '/v2/observations/',
        Array.from({ length: 101 }, (_, n) => observation(n)),
      )
    ).status,
    200,
  );
  t.is((await harness.post('/v2/observations/', [])).body, '[]');
  await harness.post('/v2/messages/', message(0, { subject: 'x' }));
  t.deepEqual(harness.platform.stats().violations, {
    'chunk over 100': 1,
    'empty list': 1,
    'unknown field message.subject': 1,
  });
  t.is(harness.platform.stats().largest_chunk, 101);
});

test('what is not JSON is 400', async (t) => {
  const harness = await startHarness(t);
  const reply = await harness.call('POST', '/v2/observations/', { headers: { apikey: 'key-1' }, body: '{"a":' });
  t.is(reply.status, 400);
  t.like(bodyOf(reply), { detail: 'JSON parse error' });
});
