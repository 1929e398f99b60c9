import { compose, parseRunnerConfig, siteEventsGroup } from '@ranger-relay/action-runner';
import { commandsTopicSpec } from '@ranger-relay/actions';
import { temporaryBus } from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import { temporaryKv } from '@ranger-relay/kv/testing';
import { platformSettings } from '@ranger-relay/platform';
import { createContext } from '@ranger-relay/runtime';
import { connectPlatform } from '@ranger-relay/service';
import { freshSite, type SeenEntry, type SiteEvent as Event } from '@ranger-relay/simulators';
import test, { type ExecutionContext } from 'ava';
import { startSitePlatform } from './harness/backfill.ts';
import { valuesOf } from './harness/records.ts';
import { postJson } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = '11111111-1111-4111-8111-111111111111';
const secret = 'c4n4ry';

type Row = Readonly<Record<string, unknown>>;

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const eventAt = (n: number): Event => ({
  id: uuid(n),
  serial_number: n,
  event_type: n % 2 === 0 ? 'fire' : 'snare',
  title: n % 3 === 0 ? null : `Event ${n}`,
  time: '2026-01-02T00:00:00Z',
  created_at: '2026-01-02T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
  state: 'new',
  priority: 100,
  location: { latitude: -1.5, longitude: 36 },
  geojson: null,
  event_details: { n },
  notes: [{ id: uuid(1_000_000 + n), text: secret }],
  files: [],
});

const types = ['fire', 'snare'].map((value, n) => ({ id: uuid(900 + n), value, display: `A ${value}`, category: 'c' }));

const urlOf = (item: Row): string => (item['provider_metadata'] as { source_event_url: string }).source_event_url;

/** Both other sides, a bus and a store. */
const setUp = async (t: ExecutionContext) => {
  const site = await freshSite({
    state: {
      categories: [{ id: uuid(990), value: 'c', display: 'C' }],
      eventTypes: types.slice(0, 1),
      newEventTypes: types.slice(1),
    },
  });
  const pull_events = { start_datetime: '2026-01-01T00:00:00Z', include_attachments: true };
  const configurations = { auth: { authentication_type: 'token', token: site.token }, pull_events };
  const { platform, env: toPlatform } = await startSitePlatform(site, { id: park, api_key: secret, configurations });
  const { kv, close } = await temporaryKv();
  const { bus } = await temporaryBus(t, {
    topics: [...Object.values(topics), commandsTopicSpec(parseRunnerConfig({}), 'site_connector')],
  });
  t.teardown(async () => {
    await close();
    await platform.close();
    await site.close();
  });

  /** A runner of its own process, so to speak, on the same bus and store. */
  const startRunner = async (more: NodeJS.ProcessEnv = {}) => {
    const context = createContext({ service: 'action-runner', level: 'silent' });
    const config = parseRunnerConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      AUTH_TOKEN: 'right-token',
      SCHEDULER: 'platform',
      HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...toPlatform,
      ...more,
    });
    const client = connectPlatform(context, { bus, kv }, config, platformSettings(config));
    const { port } = await compose(context, { bus, kv, platform: client }, config);
    t.teardown(() => context.lifecycle.stop());
    const execute = async (overrides: Row = {}): Promise<{ status: number; body: Row }> => {
      const body = { integration_id: park, action_id: 'pull_events', config_overrides: overrides };
      const answer = await postJson(`http://127.0.0.1:${port}/v1/actions/execute`, 'right-token', body);
      return { status: answer.status, body: (await answer.json()) as Row };
    };
    return Object.assign(execute, { stop: () => context.lifecycle.stop() });
  };

  /** Waits until every event that was published is done. */
  const delivered = (): Promise<void> =>
    until('events delivered', async () => (await bus.pending(topics.siteEvents.name, siteEventsGroup)).length === 0);

  /** Writes events at the site, as changed now. */
  const write = (...changed: readonly Event[]): void => {
    const ids = new Set(changed.map(({ id }) => id));
    const updated_at = new Date().toISOString();
    const others = site.state().events.filter(({ id }) => !ids.has(id));
    site.seed({ events: [...others, ...changed.map((event) => Object.assign({}, event, { updated_at }))] });
  };
  const read = (n: number): Event => site.state().events.find(({ id }) => id === uuid(n)) ?? eventAt(n);

  const stored = (kind: SeenEntry['kind']): Row[] =>
    platform.ingestLog.read({ kind, outcome: 'stored', limit: 10_000 }).entries.map(({ item }) => item as Row);
  const times = (n: number): number => stored('event').filter((item) => urlOf(item).endsWith(uuid(n))).length;

  return { site, platform, bus, startRunner, delivered, write, read, stored, times };
};

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

test.serial(
  'events of a site reach the platform once, and what changes of them afterwards, through faults on both sides',
  async (t) => {
    const { site, platform, startRunner, delivered, write, read, stored, times } = await setUp(t);
    const execute = await startRunner();
    write(...numbers(0, 230).map(eventAt));

    site.faults.set({ fault: 'status', status: 502, path: 'activity/events', count: 1 });
    const first = await execute();
    t.is(first.status, 200);
    t.like(first.body, { events_extracted: 230 });
    await delivered();
    t.is(stored('event').length, 230);
    t.is(stored('event_change').length, 230, 'the note of each event');
    t.true((platform.stats().largest_chunk ?? 0) <= 100);
    const firstEvent = stored('event').find((item) => urlOf(item).endsWith(uuid(0))) ?? {};
    const { delivery_attempt: attempt, ...provider_metadata } = firstEvent['provider_metadata'] as Row;
    t.true(Number(attempt) >= 2);
    t.deepEqual(
      { ...firstEvent, provider_metadata },
      {
        title: 'A fire',
        event_type: 'fire',
        source: 'fire',
        recorded_at: '2026-01-02T00:00:00Z',
        location: { lat: -1.5, lon: 36 },
        event_details: { n: 0 },
        status: 'new',
        priority: 100,
        provider_metadata: { source_event_url: `${site.url}/events/${uuid(0)}`, serial_number: 0 },
      },
    );

    t.like((await execute({ force_run_since_start: true })).body, { events_extracted: 230 });
    await delivered();
    t.is(platform.stats().items['event']?.arrived, 230);

    const picture = '/api/v1.0/activity/event/7/file/f/';
    site.seed({ files: [{ id: picture, base64: Buffer.from('picture').toString('base64') }] });
    const note = { id: uuid(5_000), text: 'late' };
    write(
      { ...read(7), state: 'active', priority: 300, notes: [...(read(7).notes ?? []), note] },
      { ...read(8), files: [{ id: uuid(6_000), url: picture, filename: 'p.jpg' }] },
    );
    platform.integrations.rotateKey(park);
    platform.switches.set({ fault: 'status', status: 503, endpoint: 'event_changes', count: 1 });
    t.is((await execute()).status, 200);
    await delivered();
    const changes = stored('event_change').slice(230);
    const fields = changes.map(({ event: _event, ...change }) => change);
    t.deepEqual(fields, [{ notes: [note] }, { status: 'active' }, { priority: 300 }]);
    t.like(stored('attachment')[0], { name: 'p.jpg', bytes: 7, type: 'image/jpeg' });
    t.deepEqual(platform.stats().violations, {});
    for (const n of numbers(0, 230)) t.is(times(n), 1);
  },
);

test.serial(
  'a process that ends between the platform’s storing and its answer loses nothing; what was in flight comes once more, as another attempt',
  async (t) => {
    const { platform, startRunner, delivered, write, read, stored, times } = await setUp(t);
    const first = await startRunner();
    write(...numbers(0, 5).map(eventAt));
    platform.switches.set({ fault: 'hang', when: 'after', endpoint: 'events', count: 1 });
    t.is((await first()).status, 200);
    await until('the platform has stored them', () => stored('event').length >= 5);
    await first.stop();

    const execute = await startRunner();
    await delivered();
    t.is(platform.stats().items['event']?.duplicate ?? 0, 0, 'none equals an earlier one');
    const counts = numbers(0, 5).map(times);
    t.true(counts.every((count) => count >= 1 && count <= 2) && counts.includes(2));

    write({ ...read(1), state: 'resolved' });
    t.is((await execute()).status, 200);
    await delivered();
    t.like(stored('event_change').at(-1), { status: 'resolved' });
    const before = times(1);
    write({ ...read(1), title: 'Done' });
    t.is((await execute()).status, 200);
    await delivered();
    t.like(stored('event_change').at(-1), { title: 'Done' });
    t.is(times(1), before);
  },
);

test.serial(
  'a row that the site, and an event that the platform, always fails on stands alone: all others arrive',
  async (t) => {
    const { site, platform, startRunner, delivered, write, times } = await setUp(t);
    const execute = await startRunner();
    for (const n of numbers(0, 60)) {
      const updated_at = new Date(Date.now() - 3_600_000 + n * 1_000).toISOString();
      site.seed({ events: [...site.state().events, { ...eventAt(n), updated_at }] });
    }
    site.set({ failing_row: uuid(20) });
    platform.switches.set({ fault: 'fail_item', endpoint: 'events', field: 'title', equals: 'Event 31' });
    t.is((await execute()).status, 500, 'a failure of the site is an outage at first');
    t.like((await execute()).body, { events_extracted: 59 });
    await until('the others arrived', () => numbers(0, 60).every((n) => times(n) === (n === 20 || n === 31 ? 0 : 1)));

    platform.switches.clear();
    write(eventAt(61));
    t.is((await execute()).status, 200);
    await delivered();
    t.is(times(31), 1);
    t.is(times(61), 1);
  },
);

test.serial('a refused event lies in the dead letters; a refused site is told, without the credentials', async (t) => {
  const { site, platform, bus, startRunner, delivered, write } = await setUp(t);
  const execute = await startRunner();
  write(...numbers(0, 3).map(eventAt));
  platform.switches.set({ fault: 'refuse_item', endpoint: 'events', field: 'title', equals: 'Event 1' });
  t.like((await execute()).body, { events_extracted: 3 });
  await delivered();
  const letters = await valuesOf<Row>(bus, topics.deadLetters.name);
  t.is(letters.length, 1);
  t.like(letters[0], { kind: 'site_event', reason: 'item_refused', integration_id: park });

  write(eventAt(4));
  site.faults.set({ fault: 'status', status: 403, path: 'activity/events' });
  const refused = await execute();
  t.is(refused.status, 500);
  t.like(refused.body['detail'], { error_type: 'auth' });
  t.false(JSON.stringify(refused.body).includes(site.token) || JSON.stringify(refused.body).includes(secret));
  site.faults.clear();
  t.is((await execute()).status, 200);
});
