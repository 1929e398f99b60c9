import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freshSite, seeded } from '@ranger-relay/simulators';
import test, { type ExecutionContext } from 'ava';
import { freePorts, start, type Started } from './harness/product.ts';
import { untilReady } from './harness/ready.ts';
import { startSitePlatform } from './harness/backfill.ts';
import { until } from './harness/until.ts';

const park = '11111111-1111-4111-8111-111111111111';
const token = 'e2e-caller-token';
const rows = 400;
const eventCount = 40;
const spanMs = 15_000;
const latencyMs = 50;
/** How long the pulls may take to their end once nothing fails any more, ms. */
const endMs = 120_000;
const [minuteMs, dayMs] = [60_000, 86_400_000];
const iso = (ms: number): string => new Date(ms).toISOString();
const id = (kind: number, n: number): string => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, '0')}`;

type Row = Readonly<Record<string, unknown>>;

/** A site whose rows were recorded up to ten days ago and arrive while it is pulled from, and a platform. */
const startBoth = async (startAt: number) => {
  const sources = Array.from({ length: 8 }, (_, n) => ({ id: id(5, n), manufacturer_id: `COLLAR-${n}` }));
  const site = await freshSite({
    state: { sources, eventTypes: [{ id: id(9, 1), value: 'fire', display: 'Fire', category: 'c' }] },
    switches: { clock_offset_s: 3_600, edits_per_page: 2, latency_ms: latencyMs, throttle_per_minute: 600 },
  });
  const start_datetime = iso(startAt - 11 * dayMs);
  const configurations = {
    auth: { authentication_type: 'token', token: site.token },
    pull_observations: { start_datetime, subwindow_days: 3 },
    pull_events: { start_datetime },
  };
  return { site, ...(await startSitePlatform(site, { id: park, api_key: 'key', configurations })) };
};

/** The product against both, and calls of its pulls. */
const setUp = async (t: ExecutionContext) => {
  const startAt = Date.now();
  const { site, platform, env: toPlatform } = await startBoth(startAt);
  const directory = mkdtempSync(join(tmpdir(), 'ranger-relay-late-'));
  const ports = await freePorts();
  const env = {
    DATA_DIR: join(directory, 'data'),
    HOST: '127.0.0.1',
    ...ports,
    AUTH_TOKEN: token,
    HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...toPlatform,
    WEBHOOK_AUTH: 'none',
    SCHEDULER: 'platform',
    // As short as the services of one process allow.
    PUSH_TIMEOUT_S: '1',
    MAX_ACTION_EXECUTION_TIME: '31',
  };
  let up: Started | undefined;
  const restart = async (): Promise<void> => {
    await up?.end('SIGKILL');
    up = start(['up'], env);
    await untilReady('the runner', up, [`http://127.0.0.1:${ports.RUNNER_PORT}`]);
  };
  t.teardown(async () => {
    await up?.end('SIGKILL');
    await Promise.all([site.close(), platform.close()]);
    rmSync(directory, { recursive: true, force: true });
  });
  await restart();

  /** Runs a pull; undefined when it did not end well. */
  const pull = async (action: string): Promise<Row | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${ports.RUNNER_PORT}/v1/actions/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ integration_id: park, action_id: action }),
    }).catch(() => undefined);
    return answer?.status === 200 ? ((await answer.json()) as Row) : undefined;
  };
  return { site, platform, startAt, restart, pull };
};

const urlOf = (item: Row): string => (item['provider_metadata'] as { source_event_url: string }).source_event_url;

const eventRow = (n: number, at: number) => ({
  id: id(7, n),
  serial_number: n,
  event_type: 'fire',
  title: 'version 1',
  time: iso(at),
  state: 'new',
  priority: 100,
  location: { latitude: -1.5, longitude: 36 },
});

test.serial(
  'what arrives late, out of order and edited is at the platform, once, whatever fails meanwhile',
  async (t) => {
    t.timeout(spanMs + 2 * endMs);
    const { site, platform, startAt, restart, pull } = await setUp(t);
    const random = seeded(7);
    for (let n = 0; n < rows; n += 1) {
      const recordedAt = startAt - Math.floor(random.next() ** 3 * 10 * dayMs);
      const row = {
        id: id(3, n),
        recorded_at: iso(recordedAt),
        source: id(5, n % 8),
        location: { longitude: 36, latitude: -1 },
      };
      // A third lies there when the first run begins.
      const afterMs = n % 3 === 0 ? 0 : Math.floor(random.next() * spanMs * 0.8);
      site.arrive({ observations: [row] }, { afterMs, commitMs: n % 5 === 0 ? Math.floor(random.next() * 5_000) : 0 });
    }
    for (let n = 0; n < eventCount; n += 1)
      site.arrive(
        { events: [eventRow(n, startAt - n * minuteMs)] },
        { afterMs: Math.floor(random.next() * spanMs * 0.8) },
      );

    let [runs, kills, step] = [0, 0, 0];
    const troubles: readonly (() => unknown)[] = [
      () => site.faults.set({ fault: 'half_body', count: 2 }),
      async () => {
        await site.goDown();
        await pause(2_000);
        await site.comeUp();
      },
      () => site.set({ clock_offset_s: -3_600 }),
      () => restart().then(() => (kills += 1)),
    ];
    while (Date.now() < startAt + spanMs || step < troubles.length) {
      const working = Promise.all([pull('pull_observations'), pull('pull_events')]);
      if (Date.now() > startAt + ((step + 1) * spanMs) / (troubles.length + 1)) {
        await pause(latencyMs);
        await troubles[step]?.();
        step += 1;
      }
      await working;
      runs += 2;
      await pause(500);
    }
    site.set({ edits_per_page: 0, throttle_per_minute: 0 });
    await until(
      'both pulls have nothing left',
      async () => {
        const [seen, told] = await Promise.all([pull('pull_observations'), pull('pull_events')]);
        return (
          seen?.['status'] === 'complete' &&
          seen['observations_extracted'] === 0 &&
          told !== undefined &&
          !told['status']
        );
      },
      endMs,
    );

    const stored = (kind: 'observation' | 'event' | 'event_change'): Row[] =>
      platform.door.read({ kind, outcome: 'stored', limit: 10_000 }).entries.map(({ item }) => item as Row);
    await until(
      'the forwarder has sent everything',
      () => Promise.resolve(stored('observation').length >= rows),
      120_000,
    );
    const times = Map.groupBy(stored('observation'), (item) => (item['additional'] as Row)['id']);
    const pages = site.log.entries().filter(({ path }) => /observations$|events$/.test(path)).length;
    t.log(
      `late arrivals: ${JSON.stringify({ rows, events: eventCount, runs, kills, pages, stored: stored('observation').length })}`,
    );
    t.is(times.size, rows);
    t.deepEqual(
      [...times].filter(([, list]) => list.length > 1),
      [],
      'each once',
    );

    const events = Map.groupBy(stored('event'), urlOf);
    t.is(events.size, eventCount);
    for (const [url, list] of events) t.true(list.length <= 1 + kills, url);
    const titles = new Set([...stored('event'), ...stored('event_change')].map(({ title }) => title));
    for (const { title } of site.state().events) t.true(titles.has(title), `${title} never came`);
  },
);
