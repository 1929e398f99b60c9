import test from 'ava';
import { body, gonePark, wire } from './test/events.ts';
import { appOf, post, harness, type PostOptions } from './test/harness.ts';

const good = body([wire()]);

const without: Readonly<Record<string, PostOptions>> = {
  'no id': { integration: null },
  'an empty id': { integration: '' },
  'an id that cannot be one': { integration: '../../secrets' },
  'an id with blanks': { integration: 'a b' },
  'an endless id': { integration: 'a'.repeat(101) },
};

for (const [name, options] of Object.entries(without))
  test(`a request with ${name} names no integration`, async (t) => {
    const w = harness(t);
    const { status, json } = await post(w, good, options);
    t.is(status, 404);
    t.like(json, { detail: { code: 'webhook_no_integration' } });
    t.deepEqual(w.loads, []);
  });

test('an id that the platform does not know is not found once its token was good', async (t) => {
  const w = harness(t);
  const { status, json } = await post(w, good, { integration: gonePark });
  t.is(status, 404);
  t.like(json, { detail: { code: 'integration_unknown' } });
  t.is(w.bus.published.length, 0);
});

test('without authentication an unknown id is not found', async (t) => {
  const w = harness(t, { WEBHOOK_AUTH: 'none' });
  t.is((await post(w, good, { integration: gonePark, token: null })).status, 404);
});

test('the integration header can have another name', async (t) => {
  const w = harness(t, { WEBHOOK_INTEGRATION_HEADER: 'X-Park' });
  t.is((await post(w, good)).status, 404);
  t.is((await post(w, good, { integration: null, headers: { 'x-park': gonePark } })).status, 404);
  t.deepEqual(w.loads, [gonePark]);
});

test('other paths and methods are not found', async (t) => {
  const app = appOf(harness(t));
  t.is((await app.request('/webhooks')).status, 404);
  t.is((await app.request('/', { method: 'POST' })).status, 404);
  t.is((await app.request('/webhooks/more', { method: 'POST' })).status, 404);
});
