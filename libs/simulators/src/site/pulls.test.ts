import test, { type ExecutionContext } from 'ava';
import { createClient, type Call } from '../http/client.ts';
import { manualClock } from '../test/manual-clock.ts';
import { freshSite, type FreshSiteOptions } from './start.ts';
import { volumeId } from './state/volume.ts';

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const fix = (n: number, at: string, source = id(1)) => ({
  id: id(100 + n),
  recorded_at: at,
  source,
  location: { longitude: 1, latitude: 1 },
  observation_details: { n },
});

/** A site and a caller with its token. */
const harness = async (t: ExecutionContext, options: FreshSiteOptions = {}) => {
  const site = await freshSite(options);
  const client = createClient();
  t.teardown(async () => {
    client.close();
    await site.close();
  });
  const send = async (method: Call['method'], path: string, more: Partial<Call> = {}) => {
    const url = site.url + (path.startsWith('/') ? path : `/api/v1.0/${path}`);
    const headers = { authorization: `Bearer ${site.token}`, ...more.headers };
    const reply = await client.send({ method, url, timeoutMs: 2_000, ...more, headers });
    let json: { data?: { results?: unknown[]; next?: string | null } } | undefined;
    try {
      json = JSON.parse(reply.body) as typeof json;
    } catch {
      json = undefined;
    }
    return { ...reply, json, data: json?.data };
  };
  const login = (form: Record<string, string>) =>
    send('POST', '/oauth2/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
  return { site, login, send, get: (path: string) => send('GET', path) };
};

const span = 'since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&filter=null';
const atBounds = [fix(0, '2026-01-01T00:00:00Z'), fix(1, '2026-01-01T12:00:00Z'), fix(2, '2026-01-02T00:00:00Z')];

for (const [bounds, count] of [
  ['inclusive', 3],
  ['half_open', 2],
  ['exclusive', 1],
] as const)
  test(`bounds can be ${bounds}`, async (t) => {
    const { get } = await harness(t, { state: { observations: atBounds }, switches: { bounds } });
    t.is((await get(`observations?${span}`)).data?.results?.length, count);
  });

test('pages that hold the failing row are 500, the others are not', async (t) => {
  const { get } = await harness(t, { state: { observations: atBounds }, switches: { failing_row: id(101) } });
  t.is((await get(`observations?${span}`)).status, 500);
  t.is((await get(`observations?${span}&page_size=1`)).status, 200);
  t.is((await get('observations?since=2026-01-01T18:00:00Z&until=2026-01-02T00:00:00Z&filter=null')).status, 200);
});

for (const paging of ['cursor', 'page', 'offset'] as const)
  test(`observations are paged by ${paging}, to their end`, async (t) => {
    const volume = { count: 230, start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };
    const sources = [id(1), id(2)].map((each) => ({ id: each, manufacturer_id: null }));
    const { get } = await harness(t, { state: { sources, volume }, switches: { paging } });
    const found: unknown[] = [];
    let search: string | undefined = `?${span}&page_size=100&use_cursor=true`;
    while (search !== undefined) {
      const { data } = await get(`observations${search}`);
      found.push(...((data?.results ?? []) as { id: string }[]).map((row) => row.id));
      if (data?.next) t.true(new URL(data.next).searchParams.has(paging));
      search = data?.next ? new URL(data.next).search : undefined;
    }
    t.deepEqual(
      found,
      Array.from({ length: 230 }, (_, n) => volumeId(n)),
    );
    const { data } = await get(`observations?${span}&source_id=${id(2)}&page_size=200`);
    t.is(data?.results?.length, 115);
  });

test('a volume takes no memory and answers at once, wherever one looks', async (t) => {
  const volume = { count: 1_000_000, start: '2025-01-01T00:00:00Z', end: '2026-01-01T00:00:00Z' };
  const { get } = await harness(t, { state: { sources: [{ id: id(1), manufacturer_id: null }], volume } });
  const query = 'since=2025-12-31T00:00:00Z&until=2026-01-01T00:00:00Z&filter=null&page_size=100';
  const { data } = await get(`observations?${query}`);
  t.is(data?.results?.length, 100);
});

test('a time without an offset is UTC, in rows and in queries', async (t) => {
  const observations = [fix(0, '2026-01-01T06:00:00')];
  const { get } = await harness(t, { state: { observations } });
  const count = async (since: string) =>
    (await get(`observations/?since=${since}&until=2026-01-02T00:00:00&filter=null`)).data?.results?.length;
  t.is(await count('2026-01-01T06:00:00Z'), 1);
  t.is(await count('2026-01-01T06:00:01'), 0);
});

test('what the contract does not name is refused, so that mistakes are seen', async (t) => {
  const { get } = await harness(t);
  for (const path of [
    `observations?${span}&sort=x`,
    'observations?since=2026-01-01&until=2026-01-02T00:00:00Z&filter=null',
    'observations?since=2026-01-01T00:00:00Z&filter=null',
    'observations?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z',
    `observations?${span}&source_id=7`,
    'subjectsources',
    `subjectsources?subjects=${Array.from({ length: 26 }, (_, n) => id(n)).join(',')}`,
    'activity/events?filter={',
    'activity/events?filter={"state":["new"]}',
    'activity/events?filter={"update_date":{"lower":"yesterday"}}',
  ])
    t.is((await get(path)).status, 400, path);
  for (const path of ['source/7', 'nothing', `observations?${span}&cursor=mine`])
    t.is((await get(path)).status, 404, path);
});

test('events are found by the date of the filter; notes and files come only to who asks', async (t) => {
  const event = {
    id: id(1),
    serial_number: 1,
    event_type: 'fire',
    title: null,
    time: '2026-01-01T00:00:00Z',
    created_at: '2026-01-02T00:00:00Z',
    updated_at: '2026-01-03T00:00:00Z',
    state: 'new',
    priority: 0,
    location: null,
    notes: [{ id: id(2), text: 'x' }],
    files: [{ id: id(3), url: '/x' }],
  };
  const eventTypes = [{ id: id(9), value: 'fire', display: 'Fire', category: 'c' }];
  const { get } = await harness(t, { state: { events: [event], eventTypes } });
  const found = async (filter: object, more = '') => {
    const { data } = await get(`activity/events?filter=${encodeURIComponent(JSON.stringify(filter))}${more}`);
    return data?.results as Record<string, unknown>[];
  };
  for (const [name, day] of [
    ['date_range', 1],
    ['create_date', 2],
    ['update_date', 3],
  ] as const) {
    t.is((await found({ [name]: { lower: `2026-01-0${day}T00:00:00Z` } })).length, 1);
    t.is((await found({ [name]: { lower: `2026-01-0${day}T00:00:01Z` } })).length, 0);
  }
  t.is((await found({ event_type: [id(9)] })).length, 1);
  t.is((await found({ event_type: [id(8)] })).length, 0);
  t.deepEqual(
    Object.keys((await found({}))[0] ?? {}).filter((key) => ['notes', 'files'].includes(key)),
    [],
  );
  t.like((await found({}, '&include_notes=true&include_files=true'))[0], { notes: event.notes, files: event.files });
});

test('a password gets a token that ends; nobody else gets one', async (t) => {
  const { site, login, send } = await harness(t);
  const good = {
    grant_type: 'password',
    username: site.username,
    password: site.password,
    client_id: site.clientId,
  };
  const reply = await login(good);
  t.is(reply.status, 200);
  const { access_token: token } = JSON.parse(reply.body) as { access_token: string };
  const me = () => send('GET', 'user/me', { headers: { authorization: `Bearer ${token}` } });
  t.is((await me()).status, 200);
  site.tokens.expireAll();
  t.is((await me()).status, 401);
  t.is((await login({ ...good, password: 'no' })).status, 400);
  t.is((await login({ ...good, client_id: 'no' })).status, 401);
  t.is((await login({ ...good, grant_type: 'client_credentials' })).status, 400);
});

test('faults strike where they are told to: statuses, half a body, no answer', async (t) => {
  const { site, get } = await harness(t, { state: { observations: atBounds } });
  const ask = () => get(`observations?${span}`);
  for (const status of [401, 403, 429, 500, 503]) {
    site.faults.set({ fault: 'status', status, path: 'observations', count: 1 });
    t.is((await ask()).status, status);
    t.is((await ask()).status, 200);
  }
  for (const fault of ['half_body', 'reset'] as const) {
    site.faults.set({ fault, count: 1 });
    t.is((await ask()).status, null);
  }
  await site.goDown();
  t.is((await ask()).status, null);
  await site.comeUp();
  t.is((await ask()).status, 200);
});

for (const lists of ['bare', 'paged'] as const)
  test(`types, categories, groups and assignments come whole: ${lists}`, async (t) => {
    const many = Array.from({ length: 30 }, (_, n) => ({ id: id(n), value: `v${n}`, display: `V${n}`, category: 'c' }));
    const data = {
      eventTypes: many,
      newEventTypes: many,
      categories: many,
      groups: many.map((each) => ({ id: each.id, name: each.display, subjects: [] })),
      subjects: [{ id: id(9), name: 'Ranger', subject_type: 'person' }],
      sources: many.map((each) => ({ id: each.id, manufacturer_id: null })),
      subjectSources: many.map((each) => ({
        source: each.id,
        subject: id(9),
        assigned_range: { lower: null, upper: null },
      })),
    };
    const { get } = await harness(t, { state: data, switches: { lists } });
    for (const [path, count] of [
      ['activity/events/eventtypes', 30],
      ['/api/v2.0/activity/eventtypes', 30],
      ['activity/events/categories', 30],
      ['subjectgroups?flat=false', 30],
      [`subjectsources?subjects=${id(9)}`, 30],
      [`source/${id(1)}/subjects`, 1],
    ] as const) {
      const { data: list } = await get(path);
      const rows = lists === 'bare' ? (list as unknown as unknown[]) : list?.results;
      t.is(rows?.length, count, path);
      if (lists === 'paged') t.like(list, { count, next: null, previous: null } as object, path);
    }
  });

test('the control interface changes data, switches and faults', async (t) => {
  const { site, send, get } = await harness(t);
  const control = (method: Call['method'], path: string, body: object) =>
    send(method, `/__control/${path}`, { body: JSON.stringify(body) });
  t.is((await control('PUT', 'state', { observations: atBounds })).status, 200);
  t.is((await control('POST', 'switches', { bounds: 'half_open' })).status, 200);
  t.is((await get(`observations?${span}`)).data?.results?.length, 2);
  t.is((await control('POST', 'faults', { fault: 'status', status: 503 })).status, 201);
  t.is((await get('user/me')).status, 503);
  t.is((await control('DELETE', 'faults', {})).status, 200);
  t.is((await control('PUT', 'state', { strange: [] })).status, 400);
  t.is((await control('POST', 'switches', { bounds: 'none' })).status, 400);
  t.is(site.log.entries().length, 2);
});

const dated = (headers: Readonly<Record<string, unknown>>): number => Date.parse(String(headers['date']));

test('a row comes when it comes: stamped by the site’s own clock, shown when its transaction ends, found by its arrival', async (t) => {
  const clock = manualClock();
  const { site, get } = await harness(t, { clock, switches: { clock_offset_s: 3_600 } });
  const ask = (more = '') => get(`observations?${span}${more}`);
  site.arrive({ observations: [fix(1, '2026-01-01T06:00:00Z')] }, { commitMs: 5_000 });
  site.arrive({ observations: [fix(2, '2026-01-01T05:00:00Z')] }, { afterMs: 1_000 });
  clock.advance(2_000);
  t.is((await ask()).data?.results?.length, 1, 'the one that was stamped first is seen last');
  clock.advance(3_000);
  const both = await ask();
  const stamps = ((both.data?.results ?? []) as { created_at: string }[]).map((each) => Date.parse(each.created_at));
  t.true(stamps.every((ms) => Math.abs(ms - clock.now() - 3_600_000) < 10_000));
  t.true(Math.abs(dated(both.headers) - clock.now() - 3_600_000) < 10_000);
  const later = new Date(Math.max(...stamps)).toISOString();
  t.is((await ask(`&created_after=${later}`)).data?.results?.length, 1, 'at or after');
  site.set({ created_after: 'ignored' });
  t.is((await ask(`&created_after=${later}`)).data?.results?.length, 2);
  site.set({ created_after: 'refused' });
  t.is((await ask(`&created_after=${later}`)).status, 400);
});

test('a cursor is a place, not a session: what comes or goes before it moves nothing behind it', async (t) => {
  const rows = Array.from({ length: 6 }, (_, n) => fix(n + 10, `2026-01-01T0${n + 1}:00:00Z`));
  const { site, get } = await harness(t, { state: { observations: rows } });
  const { data } = await get(`observations?${span}&page_size=2&use_cursor=true`);
  site.seed({ observations: [fix(0, '2026-01-01T00:30:00Z'), ...rows.slice(1)] });
  const next = await get(`observations${new URL(String(data?.next)).search}`);
  t.deepEqual(
    ((next.data?.results ?? []) as { id: string }[]).map((row) => row.id),
    [id(112), id(113)],
  );
});

const eventOf = (n: number, day: number) => ({
  id: id(n),
  serial_number: n,
  event_type: 'fire',
  title: null,
  time: `2026-01-0${day}T00:00:00Z`,
  created_at: `2026-01-0${day}T00:00:00Z`,
  updated_at: `2026-01-0${day}T00:00:00Z`,
  state: 'new',
  priority: 0,
  location: null,
});

test('events come newest first and move when they are edited, unless they are sorted', async (t) => {
  const { site, get } = await harness(t, { state: { events: [1, 2, 3].map((n) => eventOf(n, n)) } });
  const idsOf = async (query: string) =>
    (((await get(`activity/events?${query}`)).data?.results ?? []) as { id: string }[]).map((row) => row.id);
  t.deepEqual(await idsOf(''), [id(3), id(2), id(1)]);
  t.deepEqual(await idsOf('sort_by=updated_at'), [id(1), id(2), id(3)]);
  t.deepEqual(await idsOf('sort_by=-serial_number'), [id(3), id(2), id(1)]);
  site.set({ edits_per_page: 1 });
  t.deepEqual(await idsOf('page_size=2'), [id(3), id(2)]);
  t.deepEqual(await idsOf('page_size=2&page=2'), [id(2)], 'the first one has moved to the front: it was never seen');
  site.set({ edits_per_page: 0, sort_by: 'ignored' });
  t.is((await idsOf('sort_by=updated_at'))[0], id(1));
  site.set({ sort_by: 'refused' });
  t.is((await get('activity/events?sort_by=updated_at')).status, 400);
  site.set({ sort_by: 'honoured' });
  t.is((await get('activity/events?sort_by=colour')).status, 400);
});

test('a site can throttle, and go away for a while', async (t) => {
  const clock = manualClock();
  const { site, send, get } = await harness(t, { clock, switches: { throttle_per_minute: 2 } });
  t.deepEqual([(await get('user/me')).status, (await get('user/me')).status], [200, 200]);
  const third = await get('user/me');
  t.is(third.status, 429);
  t.true(Number(third.headers['retry-after']) > 0);
  site.set({ throttle_per_minute: 0 });
  await send('POST', '/__control/down', { body: '{"ms":60000}' });
  await clock.toNextTimer();
  t.is((await get('user/me')).status, null);
  clock.advance(60_000);
  while ((await get('user/me')).status === null);
  t.pass('it is back');
});

test('rows can be sent by the control interface, and part of a volume comes late', async (t) => {
  const clock = manualClock();
  const [start, end] = [-3_600_000, 3_600_000].map((ms) => new Date(clock.now() + ms).toISOString()) as [
    string,
    string,
  ];
  const volume = { count: 120, start, end, late: { every: 10, by_s: 1_800 } };
  const { send, get } = await harness(t, {
    clock,
    state: { sources: [{ id: id(1), manufacturer_id: null }], volume },
  });
  const query = `since=${start}&until=${end}&filter=null&page_size=200`;
  const count = async () => (await get(`observations?${query}`)).data?.results?.length;
  t.is(await count(), 57, 'an hour’s sixty, without the last three of those that come half an hour late');
  const body = JSON.stringify({ observations: [fix(1, start)] });
  t.is((await send('POST', '/__control/arrivals', { body })).status, 200);
  t.is(await count(), 58);
});
