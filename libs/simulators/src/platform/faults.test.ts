import test from 'ava';
import { bodyOf, first, message, observation, startHarness, until } from '../test/harness.ts';

const path = '/v2/observations/';

test('429 says when to come back, and nothing is stored', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'status', status: 429, retry_after: 7, count: 1 });
  const reply = await harness.post(path, [observation()]);
  t.is(reply.status, 429);
  t.is(reply.headers['retry-after'], '7');
  t.is((await harness.post(path, [observation()])).status, 200);
  t.like(harness.platform.stats().items['observation'], { failed: 1, stored: 1, duplicate: 0 });
});

test('5xx before anything was done: the repeat is stored', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'status', status: 500, when: 'before', count: 1 });
  t.is((await harness.post(path, [observation()])).status, 500);
  await harness.post(path, [observation()]);
  t.is(harness.platform.stats().items['observation']?.stored, 1);
});

test('5xx after the mark: an identical repeat is answered 200 and lost, a marked one is stored', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'status', status: 500, when: 'marked', count: 1 });
  t.is((await harness.post('/v2/messages/', [message()])).status, 500);
  t.is((await harness.post('/v2/messages/', [message()])).status, 200);
  t.like(harness.platform.stats().items['message'], { marked: 1, duplicate: 1, stored: 0 });
  await harness.post('/v2/messages/', [message(0, { additional: { delivery_attempt: 2 } })]);
  t.is(harness.platform.stats().items['message']?.stored, 1);
});

test('5xx after storing: everything is there although it failed', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'status', status: 502, when: 'after', count: 1 });
  t.is((await harness.post(path, [observation()])).status, 502);
  const [entry] = harness.platform.ingestLog.read().entries;
  t.like(entry, { outcome: 'stored', status: 502, answered: true });
});

test('a reset connection and a hanging one give no answer; the ingest log knows', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'reset', when: 'after', count: 1 });
  t.is((await harness.post(path, [observation(1)])).error, 'ECONNRESET');
  harness.platform.switches.set({ fault: 'hang', count: 1 });
  const hung = harness.post(path, [observation(2)]);
  await until(() => harness.platform.ingestLog.read().end === 2);
  await harness.platform.goDown();
  t.is((await hung).status, null);
  t.like(harness.platform.ingestLog.read().entries[0], { outcome: 'stored', status: 0, answered: false });
  t.like(harness.platform.ingestLog.read().entries[1], { outcome: 'failed', status: 0, answered: false });
});

test('half an answer breaks off in its body, with everything stored', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'half_body', count: 1 });
  const reply = await harness.post(path, [observation()]);
  t.is(reply.status, null);
  t.like(harness.platform.ingestLog.read().entries[0], { outcome: 'stored', status: 200, answered: false });
});

test('one item can be refused by a field, alone in its list', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'refuse_item', field: 'additional.n', equals: 1 });
  const reply = await harness.post(path, [observation(0), observation(1), observation(2)]);
  t.is(reply.status, 400);
  t.deepEqual(
    bodyOf<object[]>(reply).map((entry) => Object.keys(entry).length),
    [0, 1, 0],
  );
  t.is((await harness.post(path, [observation(0), observation(2)])).status, 200);
});

test('one item can make every list that holds it fail for ever, with nothing stored', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'fail_item', fields: { 'additional.n': 1 } });
  for (const list of [[observation(0), observation(1)], [observation(1)]])
    t.is((await harness.post(path, list)).status, 500);
  t.is((await harness.post(path, [observation(0), observation(2)])).status, 200);
  t.like(harness.platform.stats().items['observation'], { failed: 3, stored: 2 });
});

test('a short list is stored as far as it is answered', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'short_list', count: 1 });
  const reply = await harness.post(path, [observation(0), observation(1), observation(2)]);
  t.is(reply.status, 200);
  t.is(bodyOf<object[]>(reply).length, 2);
  t.is(harness.platform.stats().items['observation']?.stored, 2);
});

test('a gateway can answer in the platform’s place', async (t) => {
  const harness = await startHarness(t);
  for (const status of [200, 202, 207, 404, 405]) {
    harness.platform.switches.set({ fault: 'status', status, body: '<html>Under maintenance</html>', count: 1 });
    t.is((await harness.post(path, [observation(status)])).status, status);
  }
  t.is(harness.platform.stats().items['observation']?.stored, 0);
});

test('a slow answer comes after its time', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'slow', ms: 60_000, count: 1 });
  const asked = harness.post(path, [observation()]);
  t.is(await harness.clock.toNextTimer(), 60_000);
  t.is((await asked).status, 200);
});

test('a fault of one integration leaves the others alone', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'status', status: 401, integration: first });
  t.is((await harness.post(path, [observation()], 'key-1')).status, 401);
  t.is((await harness.post(path, [observation()], 'key-2')).status, 200);
});

test('the other endpoints can fail too', async (t) => {
  const harness = await startHarness(t);
  const headers = await harness.bearer();
  harness.platform.switches.set({ fault: 'status', status: 503, endpoint: 'token', count: 1 });
  t.is((await harness.askToken()).status, 503);
  harness.platform.switches.set({ fault: 'half_body', endpoint: 'integration', integration: first, count: 1 });
  t.is((await harness.call('GET', `/v2/integrations/${first}/`, { headers })).status, null);
  harness.platform.switches.set({ fault: 'reset', endpoint: 'api_key', count: 1 });
  t.is((await harness.call('GET', `/v2/integrations/${first}/api-key/`, { headers })).error, 'ECONNRESET');
  t.deepEqual(harness.platform.switches.list(), []);
});

test('a platform that is down refuses connections, and comes back on its port with its memory', async (t) => {
  const harness = await startHarness(t);
  await harness.post(path, [observation()]);
  await harness.platform.goDown();
  t.is((await harness.post(path, [observation()])).status, null);
  await harness.platform.comeUp();
  t.is((await harness.post(path, [observation()])).status, 200);
  t.like(harness.platform.stats().items['observation'], { stored: 1, duplicate: 1 });
});
