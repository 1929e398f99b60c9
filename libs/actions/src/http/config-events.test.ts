import test from 'ava';
import { handlers } from '../test/actions.ts';
import { envelope, httpHarness } from '../test/http-harness.ts';
import { park } from '../test/harness.ts';

const event = {
  event_id: 'e',
  timestamp: '2025-01-07 12:31:56.302384+00:00',
  schema_version: 'v1',
  event_type: 'ActionConfigUpdated',
  payload: { id: 'c', alt_id: 'work', integration_id: park, changes: { data: { days: 2 } } },
};
const open = () => httpHarness(handlers('generic'));
const publishedTo = (w: ReturnType<typeof open>) => w.bus.records('config-events');

test('an event is applied here and put on the topic for every other process', async (t) => {
  const w = open();
  const answer = await w.post('/config-events/', envelope(event));
  t.is(answer.status, 200);
  t.like(answer.json, { status: 'success' });
  t.deepEqual<unknown, unknown>(w.applied, [event]);
  t.deepEqual(
    publishedTo(w).map(({ key, value }) => [key, JSON.parse(String(value)) as unknown]),
    [[park, event]],
  );
});

test('the type may come as an attribute, and is then part of what the topic holds', async (t) => {
  const w = open();
  const { event_type, ...untyped } = event;
  await w.post('/config-events', envelope(untyped, { attributes: { event_type } }));
  t.is(JSON.parse(String(publishedTo(w)[0]?.value)).event_type, event_type);
});

test('every type of event is keyed by its integration', async (t) => {
  const w = open();
  const configuration = { id: 'c', integration: park, action: { value: 'work' }, data: {} };
  const integration = { id: park, enabled: true, type: { value: 'site' } };
  for (const [event_type, payload] of [
    ['IntegrationCreated', integration],
    ['IntegrationUpdated', { id: park, changes: {} }],
    ['IntegrationDeleted', { id: park }],
    ['ActionConfigCreated', configuration],
    ['ActionConfigDeleted', { id: 'c', alt_id: 'work', integration_id: park }],
  ] as const)
    t.like((await w.post('/config-events', envelope({ ...event, event_type, payload }))).json, { status: 'success' });
  t.deepEqual(new Set(publishedTo(w).map(({ key }) => key)), new Set([park]));
});

test('another version or type is answered as an error, with 200', async (t) => {
  const w = open();
  for (const other of [{ schema_version: 'v2' }, { event_type: 'TypeUpdated' }]) {
    const answer = await w.post('/config-events', envelope({ ...event, ...other }));
    t.is(answer.status, 200);
    t.like(answer.json, { status: 'error' });
  }
  t.deepEqual([w.applied, w.bus.published], [[], []]);
});

test('what is malformed is kept and acknowledged', async (t) => {
  const w = open();
  for (const bad of ['{', envelope('{'), envelope({ ...event, payload: {} }), envelope([])]) {
    const answer = await w.post('/config-events', bad);
    t.is(answer.status, 200);
    t.like(answer.json, { status: 'error' });
  }
  t.deepEqual(
    w.letters().map(({ kind }) => kind),
    ['config_event', 'config_event', 'config_event', 'config_event'],
  );
});

test('store or bus down: 500, it comes again', async (t) => {
  const w = open();
  w.store.down = true;
  t.is((await w.post('/config-events', envelope(event))).status, 500);
  t.deepEqual(w.bus.published, []);
  w.store.down = false;
  w.bus.away = true;
  t.is((await w.post('/config-events', envelope(event))).status, 500);
  t.is((await w.post('/config-events', '{')).status, 500);
});
