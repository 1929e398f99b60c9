import test, { type ExecutionContext } from 'ava';
import { rowsOf, startSiteHarness } from '../../test/site.ts';

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const newTypes = '/api/v2.0/activity/eventtypes';
const typeOf = (value: string, more: object = {}) => ({ id: value, value, display: value, category: 'wild', ...more });
const event = (n: number, more: object = {}) => ({
  id: id(n),
  event_type: 'seen',
  time: '2024-03-02T06:00:00Z',
  ...more,
});

const openSite = async (t: ExecutionContext) => {
  const harness = await startSiteHarness(t);
  harness.site.seed({
    categories: [
      { id: 'c', value: 'wild', display: 'Wildlife' },
      { id: 'd', value: 'law', display: 'Law' },
    ],
    newEventTypes: [
      typeOf('seen', { schema: { a: 1 } }),
      typeOf('holder', { is_collection: true }),
      typeOf('gone', { is_active: false }),
      typeOf('arrest', { category: 'law' }),
    ],
    eventTypes: [typeOf('old')],
    patrols: [{ id: id(90), patrol_segments: [{ id: id(91), patrol_type: null }] } as never],
  });
  return harness;
};

const valuesAt = async ({ get }: Awaited<ReturnType<typeof openSite>>, path: string, token?: string) =>
  rowsOf(await get(path, token === undefined ? {} : { token })).map(({ value }) => value);

test('inactive types of events and their schemas come on request, in any spelling of true and false', async (t) => {
  const site = await openSite(t);
  t.deepEqual(await valuesAt(site, newTypes), ['seen', 'holder', 'arrest']);
  const query = '?include_inactive=True&include_schema=False';
  const rows = rowsOf(await site.get(newTypes + query));
  t.deepEqual(
    rows.map(({ value, is_active, is_collection, schema }) => [value, is_active, is_collection, schema]),
    [
      ['seen', true, false, undefined],
      ['holder', true, true, undefined],
      ['gone', false, false, undefined],
      ['arrest', true, false, undefined],
    ],
  );
  t.like(rowsOf(await site.get(newTypes))[0], { schema: { a: 1 }, category: 'wild' });
  t.like(rowsOf(await site.get(`activity/events/eventtypes${query}`))[0], { category: { value: 'wild' } });
});

test('a plain user sees the types of the categories that he may read', async (t) => {
  const harness = await openSite(t);
  const { site } = harness;
  site.tokens.put({ token: 'plain', permissions: ['activity.view_law'] });
  t.deepEqual(await valuesAt(harness, newTypes, 'plain'), ['arrest']);
  t.deepEqual((await valuesAt(harness, newTypes, site.ordinaryToken)).length, 3);
  site.tokens.revoke(site.ordinaryToken, 'activity.view_law');
  t.deepEqual(await valuesAt(harness, newTypes, site.ordinaryToken), ['seen', 'holder']);
});

test('events are created in lists of up to 20, under the ids of the client, and show in their segments', async (t) => {
  const { site, call, get } = await openSite(t);
  const many = (count: number) => Array.from({ length: count }, (_, n) => event(n, { patrol_segments: [id(91)] }));
  t.is((await call('POST', 'activity/events', many(21))).status, 400);
  const made = await call('POST', 'activity/events', many(20));
  t.is(made.status, 201);
  t.is((made.data as unknown[]).length, 20);
  t.like((await get(`activity/event/${id(3)}`)).data, { id: id(3), event_type: 'seen' });
  const patrol = (await get(`activity/patrols/${id(90)}`)).data as { patrol_segments: { events: unknown[] }[] };
  t.is(patrol.patrol_segments[0]?.events.length, 20);
  t.is(site.state().events.length, 20);
});

test('a list of one event, and one event, are answered as an object', async (t) => {
  const { call } = await openSite(t);
  t.like((await call('POST', 'activity/events', [event(1)])).data, { id: id(1) });
  t.like((await call('POST', 'activity/events', event(2))).data, { id: id(2) });
});

test('one bad event refuses its whole list', async (t) => {
  const { site, call } = await openSite(t);
  const reply = await call('POST', 'activity/events', [event(1), event(2, { event_type: 'nothing' })]);
  t.is(reply.status, 400);
  t.deepEqual((reply.data as object[])[0], {});
  t.is((await call('POST', 'activity/events', [event(1), event(2, { patrol_segments: [id(99)] })])).status, 400);
  t.deepEqual(site.state().events, []);
});

test('an id that exists and a time of the end are 500, and nothing is written', async (t) => {
  const { site, call } = await openSite(t);
  await call('POST', 'activity/events', event(1));
  t.is((await call('POST', 'activity/events', [event(2), event(1)])).status, 500);
  t.is((await call('POST', 'activity/events', event(3, { end_time: '2024-03-02T07:00:00Z' }))).status, 500);
  t.is(site.state().events.length, 1);
});

test('an event joins only an event of a type that holds events', async (t) => {
  const { call } = await openSite(t);
  const holder = event(1, { event_type: 'holder' });
  t.is((await call('POST', 'activity/events', [holder, event(2, { collection: { id: id(1) } })])).status, 201);
  t.is((await call('POST', 'activity/events', event(3, { collection: { id: id(1) } }))).status, 201);
  t.is((await call('POST', 'activity/events', event(4, { collection: { id: id(2) } }))).status, 400);
});

test('events need the right to add of their category, and those of patrols the right to relate them', async (t) => {
  const { site, call } = await openSite(t);
  site.tokens.revoke(site.token, 'activity.add_law');
  t.is((await call('POST', 'activity/events', event(1, { event_type: 'arrest' }))).status, 403);
  t.is((await call('POST', 'activity/events', event(1))).status, 201);
  site.tokens.revoke(site.token, 'activity.add_eventrelatedsegments');
  t.is((await call('POST', 'activity/events', event(2, { patrol_segments: [id(91)] }))).status, 403);
});

test('a file is added to an event byte by byte, an empty one refused', async (t) => {
  const { site, call } = await openSite(t);
  await call('POST', 'activity/events', event(1));
  const send = async (bytes: Uint8Array<ArrayBuffer>, name = 'filecontent.file') => {
    const body = new FormData();
    body.append(name, new Blob([bytes]), 'a b.jpg');
    const path = `${site.url}/api/v1.0/activity/event/${id(1)}/files`;
    return fetch(path, { method: 'POST', headers: { authorization: `Bearer ${site.token}` }, body });
  };
  const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
  const made = await send(bytes);
  t.is(made.status, 201);
  const { data } = (await made.json()) as { data: { url: string; filename: string } };
  t.is(data.filename, 'a b.jpg');
  const back = await fetch(data.url, { headers: { authorization: `Bearer ${site.token}` } });
  t.deepEqual(new Uint8Array(await back.arrayBuffer()), bytes);
  t.is((await send(new Uint8Array())).status, 400);
  t.is((await send(bytes, 'other')).status, 400);
});
