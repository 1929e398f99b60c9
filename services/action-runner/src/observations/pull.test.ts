import { isRelayError } from '@ranger-relay/errors';
import { broken, httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { sourceEventId } from '../mapping/source-event.ts';
import { createHarness, now, park, type Harness, olderOf } from '../test/harness.ts';
import { siteRefusal } from '../test/site.ts';

const action = 'pull_observations';
const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const source = (n: number): string => `5c000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** `count` fixes, evenly spread over the days before now, of two sources in turn. */
const fixes = (count: number, days = 3) =>
  Array.from({ length: count }, (_, n) => ({
    id: `obs-${n}`,
    recorded_at: iso(now - days * dayMs + Math.floor((n * days * dayMs) / count)),
    created_at: iso(now - days * dayMs + Math.floor((n * days * dayMs) / count) + 2_000),
    source: source(n % 2),
    location: { longitude: 36.8, latitude: -1.2 },
  }));

const config = { start_datetime: iso(now - 3 * dayMs) };

const harnessWith = (count = 6): Harness => {
  const harness = createHarness();
  harness.site.observations = fixes(count);
  return harness;
};

const startOfSecond = (row: Readonly<Record<string, unknown>> | undefined): string =>
  iso(Math.floor(Date.parse(String(row?.['recorded_at'])) / 1_000) * 1_000);

const idsOf = (harness: Harness): string[] =>
  harness.events().map(({ observation }) => String(observation?.additional['id']));
const resultOf = (outcome: unknown): unknown => (outcome as { result: unknown }).result;
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `obs-${n}`);

const asked = (harness: Harness) =>
  harness.site.asked('observations').map(({ searchParams }) => Object.fromEntries(searchParams));
const noEnd = '2100-01-01T00:00:00.000Z';

test('the first run pulls everything from the start on, in parts of a day, and the watermark is the site’s time at its beginning', async (t) => {
  const harness = harnessWith();
  harness.site.now = () => harness.clock.now() - 3_600_000;
  const outcome = await harness.run(action, config);
  t.deepEqual(resultOf(outcome), {
    status: 'complete',
    observations_extracted: 6,
    units_failed: 0,
    filter_active: false,
    sources_resolved: 0,
    pages_read: 3,
  });
  t.deepEqual(idsOf(harness), ids(6));
  t.like(harness.state(), { last_execution: iso(now - 3_600_000), clock_offset_ms: -3_600_000 });
  t.is(olderOf(harness), undefined);
  t.deepEqual(
    asked(harness).map(({ since, until }) => [since, until]),
    [
      [iso(now - 3 * dayMs - 1), iso(now - 2 * dayMs)],
      [iso(now - 2 * dayMs - 1), iso(now - dayMs)],
      [iso(now - dayMs - 1), noEnd],
    ],
  );
  t.deepEqual(asked(harness)[0], {
    since: iso(now - 3 * dayMs - 1),
    until: iso(now - 2 * dayMs),
    filter: 'null',
    include_details: 'true',
    page_size: '100',
    use_cursor: 'true',
  });
});

test('later runs ask for what has arrived since the watermark, less an overlap, whenever it was recorded', async (t) => {
  const harness = harnessWith();
  await harness.run(action, config);
  harness.site.requests.length = 0;
  await harness.clock.advance(dayMs / 2);
  const [late] = fixes(1);
  const arrived = { ...late, id: 'late', created_at: iso(now + 3_600_000) };
  harness.site.observations = [...harness.site.observations, arrived];
  await harness.run(action, config);
  t.deepEqual(
    asked(harness).map(({ since, until, created_after }) => [since, until, created_after]),
    [[iso(now - 3 * dayMs - 1), noEnd, iso(now - 600_001)]],
  );
  t.is(idsOf(harness).at(-1), 'late');
  t.is(harness.state()['last_execution'], iso(now + 3_600_000), 'the newest arrival');
});

test('what arrives during the first reading is listed from its beginning on, whatever its later pages show already', async (t) => {
  const harness = harnessWith();
  const [row] = fixes(1);
  const at = iso(now + 150_000);
  harness.site.observations = [...harness.site.observations, { ...row, id: 'new', recorded_at: at, created_at: at }];
  harness.site.onRequest = async (url) => {
    if (url.pathname.endsWith('/observations')) await harness.clock.advance(60_000);
    return undefined;
  };
  await harness.run(action, config);
  t.is(idsOf(harness).at(-1), 'new');
  t.is(harness.state()['last_execution'], iso(now + 60_000), 'the first answer');
});

test('a forced run begins at the start again and delivers again: its events are no repeats', async (t) => {
  const harness = harnessWith();
  await harness.run(action, config);
  await harness.run(action, { ...config, force_run_since_start: true });
  t.is(idsOf(harness).length, 12);
  t.is(new Set(harness.events().map(({ event_id }) => event_id)).size, 12);
  await harness.run(action, { ...config, force_run_since_start: false });
  t.is(new Set(harness.events().map(({ event_id }) => event_id)).size, 12, 'what comes again afterwards is a repeat');
});

test('an end that is set bounds every run, and the watermark never goes backwards', async (t) => {
  const harness = harnessWith();
  await harness.setState({ last_execution: iso(now - dayMs), settings_hash: 'x' });
  const end = { ...config, end_datetime: iso(now - 2 * dayMs), force_run_since_start: true };
  await harness.run(action, end);
  t.deepEqual(idsOf(harness), ids(2));
  t.is(harness.state()['last_execution'], iso(now - dayMs));
  harness.site.requests.length = 0;
  await harness.run(action, { ...end, force_run_since_start: false });
  t.deepEqual(
    asked(harness).map(({ until }) => until),
    [iso(now - 2 * dayMs)],
  );
  t.is(harness.state()['last_execution'], iso(now - dayMs));
  t.is(idsOf(harness).length, 2);
});

test('what a clock that runs ahead recorded comes with the rest', async (t) => {
  const harness = createHarness();
  const [row] = fixes(1);
  harness.site.observations = [{ ...row, id: 'ahead', recorded_at: iso(now + 3 * dayMs) }];
  await harness.run(action, config);
  t.deepEqual(idsOf(harness), ['ahead']);
});

test('an observation at the bound of two parts is one, whatever the site does with its bounds', async (t) => {
  const harness = createHarness();
  const at = [now - 3 * dayMs, now - 2 * dayMs, now - dayMs - 1, now - dayMs, now];
  const location = { longitude: 36.8, latitude: -1.2 };
  harness.site.observations = at.map((ms, n) => ({ id: `at-${n}`, recorded_at: iso(ms), source: source(0), location }));
  await harness.run(action, config);
  t.deepEqual(idsOf(harness), ['at-0', 'at-1', 'at-2', 'at-3', 'at-4']);
});

test('records are keyed by integration and source, of the kind site, and their id depends on the observation alone', async (t) => {
  const harness = harnessWith(2);
  await harness.run(action, config);
  const [record] = harness.bus.records('source-events');
  t.is(record?.key, `${park}:site-src-${source(0)}`);
  const [event] = harness.events();
  t.like(event, { v: 1, kind: 'site', integration_id: park, source: `site-src-${source(0)}`, message: null });
  t.is(event?.event_id, sourceEventId(park, 'obs-0'));
  t.not(event?.event_id, sourceEventId('other', 'obs-0'));
});

test('pages go to the bus while the next one is fetched, each whole', async (t) => {
  const harness = harnessWith(250);
  let published = 0;
  const order: string[] = [];
  harness.bus.before = ({ topic }) => {
    if (topic === 'source-events') order.push(`publish ${(published += 1)}`);
  };
  harness.site.onRequest = (url) => {
    if (url.pathname.endsWith('/observations')) order.push(`ask from ${url.searchParams.get('since')}`);
    return undefined;
  };
  await harness.run(action, { ...config, subwindow_days: 3 });
  t.is(published, 3);
  const second = iso(Date.parse(startOfSecond(harness.site.observations[99])) - 1);
  t.deepEqual(order.slice(0, 3), [`ask from ${iso(now - 3 * dayMs - 1)}`, `ask from ${second}`, 'publish 1']);
  t.is(idsOf(harness).length, 250);
});

test('the place is kept before the first page and after each, and only once all of it is on the bus', async (t) => {
  const harness = harnessWith(250);
  const seen: unknown[] = [];
  harness.bus.before = () => void seen.push(olderOf(harness));
  await harness.run(action, { ...config, subwindow_days: 2 });
  t.is(seen.length, 3);
  const start = iso(now - 3 * dayMs);
  t.deepEqual(seen[0], { from: start, to: null });
  t.like(seen[1], { from: startOfSecond(harness.site.observations[99]), to: iso(now - dayMs), source: null });
  t.like(seen[2], { from: iso(now - dayMs), to: null });
});

for (const [what, script] of Object.entries({
  'a lost connection': () => broken(),
  '429': () => httpAnswer(429),
  '500': () => httpAnswer(500),
  '503': () => httpAnswer(503),
  'half a body': () => httpAnswer(200, '{"data":{"results":[{"id"'),
}))
  test(`${what} in the middle keeps the position and fails the run as transient; the next run takes up there`, async (t) => {
    const harness = harnessWith();
    harness.site.onRequest = (url) => (url.searchParams.get('until') === iso(now - dayMs) ? script() : undefined);
    t.like(await harness.run(action, config), { kind: 'failed', transient: true });
    t.is(olderOf(harness)?.['from'], iso(now - 2 * dayMs));
    t.deepEqual(idsOf(harness), ids(2));
    harness.site.onRequest = () => undefined;
    t.like(resultOf(await harness.run(action, config)), { status: 'complete', observations_extracted: 4 });
    t.deepEqual(idsOf(harness), ids(6));
    t.is(olderOf(harness), undefined);
  });

for (const status of [400, 403, 404, 422])
  test(`a part that the site refuses with ${status} is skipped, counted and named in a WARNING`, async (t) => {
    const harness = harnessWith();
    harness.site.onRequest = (url) =>
      url.searchParams.get('until') === iso(now - dayMs) ? siteRefusal(status) : undefined;
    const outcome = await harness.run(action, config);
    t.like(resultOf(outcome), { status: 'complete', observations_extracted: 4, units_failed: 1 });
    t.is(olderOf(harness), undefined);
    const [note] = harness.feed();
    t.like(note, { level: 30, data: { units_failed: 1 } });
    const { parts } = (note?.['data'] ?? {}) as { parts: object[] };
    t.like(parts, [{ source: null, from: iso(now - 2 * dayMs), to: iso(now - dayMs) }]);
    t.is(harness.feed().length, 1);
  });

test('a part that the site refuses once is not skipped', async (t) => {
  const harness = harnessWith();
  let refusals = 0;
  harness.site.onRequest = (url) =>
    url.searchParams.get('until') === iso(now - dayMs) && (refusals += 1) === 1 ? siteRefusal(403) : undefined;
  const outcome = await harness.run(action, config);
  t.like(resultOf(outcome), { status: 'complete', observations_extracted: 6, units_failed: 0 });
  t.deepEqual(idsOf(harness), ids(6));
  t.deepEqual(harness.feed(), []);
});

for (const status of [400, 401, 403, 404])
  test(`a site that refuses everything with ${status} stops the run: no unit is passed over`, async (t) => {
    const harness = harnessWith();
    harness.site.onRequest = (url) =>
      url.pathname.endsWith('/observations') && Date.parse(url.searchParams.get('since') ?? '') > now - 2.5 * dayMs
        ? siteRefusal(status)
        : undefined;
    t.like(await harness.run(action, config), { kind: 'failed', transient: false });
    t.is(olderOf(harness)?.['from'], iso(now - 2 * dayMs));
    harness.site.onRequest = () => undefined;
    await harness.run(action, config);
    t.deepEqual(idsOf(harness), ids(6));
  });

test('a bus that is away fails the run as transient, and nothing is passed over', async (t) => {
  const harness = harnessWith();
  harness.bus.away = true;
  t.like(await harness.run(action, config), { kind: 'failed', transient: true });
  t.like(olderOf(harness), { from: iso(now - 3 * dayMs) });
  harness.bus.away = false;
  await harness.run(action, config);
  t.deepEqual(idsOf(harness), ids(6));
});

test('a store that is away fails the run as transient, and the site is not even asked', async (t) => {
  const harness = harnessWith();
  harness.space.away = true;
  const outcome = await harness.run(action, config);
  t.is(outcome.kind, 'refused');
  t.true(outcome.kind === 'refused' && outcome.error.next === 'retry');
  t.deepEqual(harness.site.requests, []);
});

test('state that cannot be read stops the run, and is left as it is', async (t) => {
  for (const state of [{ ranges: [{ from: 'some day', to: null }] }, { last_execution: 'yesterday' }]) {
    const harness = harnessWith();
    await harness.setState(state);
    t.like(await harness.run(action, config), { kind: 'failed', transient: false });
    t.deepEqual(harness.state(), state);
    t.deepEqual(harness.site.asked('observations'), []);
  }
});

test('an unfinished back-fill goes on within the window of now', async (t) => {
  const harness = harnessWith();
  harness.site.onRequest = (url) => (url.searchParams.get('until') === iso(now - dayMs) ? httpAnswer(503) : undefined);
  await harness.run(action, config);
  t.is(olderOf(harness)?.['from'], iso(now - 2 * dayMs));
  const restart = async (more: object) => {
    const other = harnessWith();
    await other.setState(harness.state());
    await other.run(action, { ...config, ...more });
    const first = asked(other).find(({ created_after: after }) => after === undefined);
    return [first?.['since'], first?.['until']];
  };
  const later = now - 2.5 * dayMs;
  t.deepEqual(await restart({ start_datetime: iso(later) }), [iso(now - 2 * dayMs - 1), iso(now - dayMs)]);
  t.deepEqual(await restart({ start_datetime: iso(now - dayMs) }), [iso(now - dayMs - 1), noEnd]);
  t.deepEqual(await restart({ end_datetime: iso(now - 1.5 * dayMs) }), [
    iso(now - 2 * dayMs - 1),
    iso(now - 1.5 * dayMs),
  ]);
  t.deepEqual(
    await restart({ subwindow_days: 9 }),
    [iso(now - 2 * dayMs - 1), iso(now - dayMs)],
    'the part that is being read keeps its end',
  );
});

test('no page is asked for once 80 % of the time has passed; the run says in_progress and keeps its place', async (t) => {
  const harness = harnessWith();
  harness.site.onRequest = async (url) => {
    if (url.searchParams.get('until') === iso(now - dayMs)) await harness.clock.advance(432_001);
    return undefined;
  };
  const outcome = await harness.run(action, config);
  t.like(resultOf(outcome), { status: 'in_progress', observations_extracted: 4 });
  t.is(olderOf(harness)?.['from'], iso(now - dayMs));
  t.deepEqual(harness.bus.values('commands'), []);
});

const slowSite = (harness: Harness) => {
  harness.site.onRequest = async (url) => {
    if (url.pathname.endsWith('/observations')) await harness.clock.advance(432_001);
    return undefined;
  };
};

test('with continue_immediately the next command follows, after the lease is released, with the same trigger', async (t) => {
  const harness = harnessWith();
  slowSite(harness);
  let leases: string[] = [];
  harness.bus.before = ({ topic }) => {
    if (topic === 'commands') leases = Object.keys(harness.space.values()).filter((key) => key.endsWith('lock'));
  };
  await harness.run(action, { ...config, continue_immediately: true }, { triggeredBy: 'manual' });
  const [command] = harness.bus.values('commands');
  t.like(command, { integration_id: park, action_id: action, triggered_by: 'manual' });
  t.is(harness.bus.values('commands').length, 1);
  t.deepEqual(leases, []);
});

test('three runs in a row that bring no page leave it to the schedule', async (t) => {
  const harness = harnessWith();
  await harness.setState({
    last_execution: iso(now),
    ranges: [{ from: iso(now - 2 * dayMs), to: null }],
  });
  harness.platform.onConfig = (name) => (name === 'auth' ? harness.clock.advance(432_001) : undefined);
  const count = async () => {
    await harness.run(action, { ...config, continue_immediately: true });
    return harness.bus.values('commands').length;
  };
  t.is(await count(), 1);
  t.is(await count(), 2);
  t.is(await count(), 2);
  t.like(harness.state(), { runs_without_page: 3 });
  harness.platform.onConfig = () => undefined;
  slowSite(harness);
  t.is(await count(), 3);
  t.like(harness.state(), { runs_without_page: 0 });
});

test('a run is alone: a manual and a scheduled one are skipped meanwhile, a command that goes on comes later', async (t) => {
  const harness = harnessWith();
  const held = Promise.withResolvers<void>();
  const request = harness.site.http.request;
  (harness.site.http as { request: typeof request }).request = async (...args) => {
    await held.promise;
    return request(...args);
  };
  const first = harness.run(action, { ...config, run_on_schedule: true });
  await harness.clock.advance(0);
  for (const triggeredBy of ['manual', 'auto'] as const)
    t.like(await harness.run(action, {}, { triggeredBy }), { kind: 'skipped', reason: 'already_running' });
  for (const more of [{ selfTriggered: true }, { attempt: 2 }]) {
    const outcome = await harness.run(action, {}, more);
    t.true(outcome.kind === 'refused' && isRelayError(outcome.error, 'action_already_running'));
  }
  held.resolve();
  t.is((await first).kind, 'complete');
});
