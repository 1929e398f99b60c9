import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { createHarness, now, park } from '../test/harness.ts';
import { siteRefusal } from '../test/site.ts';

const action = 'pull_observations';
const iso = (ms: number): string => new Date(ms).toISOString();
const source = '5c000000-0000-4000-8000-000000000001';
const config = { start_datetime: iso(now - 3_600_000) };

const harnessOfNames = () => {
  const harness = createHarness();
  harness.site.observations = [
    {
      id: 'o1',
      recorded_at: '2026-01-10T23:30:00+00:00',
      created_at: '2026-01-10T23:30:00+00:00',
      source,
      location: { longitude: 36.817223456, latitude: -1.286389 },
      observation_details: { speed: 3 },
      exclusion_flags: 0,
    },
  ];
  harness.site.payloads[`source/${source}/`] = { id: source, manufacturer_id: 'COLLAR-7' };
  harness.site.payloads[`source/${source}/subjects`] = [
    { id: 'a', name: 'Old wearer', subject_type: 'elephant' },
    { id: 'b', name: 'New wearer', subject_type: 'ranger' },
  ];
  harness.site.payloads['subjectsources'] = [
    { source, subject: 'a', assigned_range: { lower: '2020-01-01T00:00:00Z', upper: '2026-01-10T23:30:00Z' } },
    { source, subject: 'b', assigned_range: { lower: '2026-01-10T23:30:00Z', upper: '9999-12-31T23:59:59Z' } },
  ];
  return harness;
};

/** Makes the site show many rows like its first one. */
const showRows = ({ site }: ReturnType<typeof harnessOfNames>, count: number, more: (n: number) => object): void => {
  const [row] = site.observations;
  site.observations = Array.from({ length: count }, (_, n) => ({ ...row, id: `o${n}`, ...more(n) }));
};

test('an observation is mapped: source, names of who wore it then, position unrounded, all else in additional', async (t) => {
  const harness = harnessOfNames();
  await harness.run(action, config);
  t.deepEqual(harness.events()[0]?.observation, {
    source: 'COLLAR-7',
    source_name: 'New wearer',
    subject_type: 'ranger',
    recorded_at: '2026-01-10T23:30:00+00:00',
    location: { lat: -1.286389, lon: 36.817223456 },
    additional: {
      id: 'o1',
      created_at: '2026-01-10T23:30:00+00:00',
      observation_details: { speed: 3 },
      exclusion_flags: 0,
      site_source_id: source,
    },
  });
  t.is(harness.events()[0]?.source, 'COLLAR-7');
});

test('numbers beyond 53 bits, and places of more digits than a double has, are read as the site wrote them', async (t) => {
  const harness = harnessOfNames();
  const row = `{"id":"o1","recorded_at":"2026-01-10T23:30:00Z","source":"${source}","location":{"longitude":"36.8","latitude":-1.28638912345678912},"observation_details":{"tag":9007199254740993,"text":"a\\u0000b"}}`;
  harness.site.onRequest = (url) =>
    url.pathname.endsWith('/observations') ? httpAnswer(200, `{"data":{"next":null,"results":[${row}]}}`) : undefined;
  await harness.run(action, config);
  const [record] = harness.bus.records('source-events');
  t.regex(Buffer.from(record?.value ?? '').toString(), /"tag":9007199254740993,"text":"ab"/);
  t.deepEqual(harness.events()[0]?.observation?.location, { lat: -1.286389123456789, lon: 36.8 });
});

test('each source is looked up once a run, however many pages name it', async (t) => {
  const harness = harnessOfNames();
  showRows(harness, 450, (n) => ({ recorded_at: new Date(Date.UTC(2026, 0, 10, 23, 30, n)).toISOString() }));
  await harness.run(action, config);
  t.is(harness.events().length, 450);
  t.is(harness.site.requests.length, 5 + 3);
});

const isOf = (url: URL, path: string): boolean => url.pathname.endsWith(`/${path}`);
const nameless = { source: 'COLLAR-7', source_name: undefined, subject_type: undefined };

for (const [what, path] of [
  ['the subjects of a source', `source/${source}/subjects`],
  ['its assignments', 'subjectsources'],
] as const)
  for (const status of [404, 500, 503])
    test(`a look-up of ${what} that fails with ${status} only loses names`, async (t) => {
      const harness = harnessOfNames();
      harness.site.onRequest = (url) => (isOf(url, path) ? httpAnswer(status) : undefined);
      t.is((await harness.run(action, config)).kind, 'complete');
      t.like(harness.events()[0]?.observation, nameless);
    });

for (const [what, answer] of [
  ['404', siteRefusal(404)],
  ['403', siteRefusal(403)],
  ['a source without a manufacturer’s id', httpAnswer(200, { data: { id: source } })],
] as const)
  test(`a look-up of a source that is answered with ${what} names it by its id at the site`, async (t) => {
    const harness = harnessOfNames();
    harness.site.onRequest = (url) => (isOf(url, `source/${source}/`) ? answer : undefined);
    t.is((await harness.run(action, config)).kind, 'complete');
    t.like(harness.events()[0]?.observation, { source: `site-src-${source}`, source_name: 'New wearer' });
  });

for (const [what, answer] of [
  ['500', httpAnswer(500)],
  ['503', httpAnswer(503)],
  ['404 by something that is not the site', httpAnswer(404)],
  ['what is no source', httpAnswer(200, { data: [] })],
] as const)
  test(`a look-up of a source that is answered with ${what} puts no row on the bus under another key`, async (t) => {
    const harness = harnessOfNames();
    harness.site.onRequest = (url) => (isOf(url, `source/${source}/`) ? answer : undefined);
    for (let runs = 0; runs < 4; runs += 1) await harness.run(action, config);
    t.deepEqual(harness.events(), []);
    harness.site.onRequest = () => undefined;
    await harness.clock.advance(3_600_000);
    await harness.run(action, config);
    t.deepEqual(
      harness.events().map((event) => event.source),
      ['COLLAR-7'],
    );
  });

test('a row of a source that cannot be looked up for hours keeps no other source back', async (t) => {
  const harness = harnessOfNames();
  showRows(harness, 60, (n) => ({
    recorded_at: iso(now - 1_800_000 + n * 1_000),
    ...(n === 30 ? {} : { source: 'other' }),
  }));
  harness.site.onRequest = (url) => (isOf(url, `source/${source}/`) ? httpAnswer(503) : undefined);
  for (let runs = 0; runs < 3; runs += 1) await harness.run(action, config);
  t.is(harness.events().length, 59);
  harness.site.onRequest = () => undefined;
  await harness.clock.advance(3_600_000);
  await harness.run(action, config);
  t.is(harness.events().length, 60);
  t.is(harness.events().at(-1)?.source, 'COLLAR-7');
});

test('a source of which the site says nothing for half an hour goes under its id at the site, and holds no other source back', async (t) => {
  const harness = harnessOfNames();
  const [row] = harness.site.observations;
  harness.site.onRequest = (url) => (isOf(url, `source/${source}/`) ? httpAnswer(500) : undefined);
  const rows: Record<string, unknown>[] = [];
  harness.site.observations = rows;
  harness.platform.configs[action] = config;
  const process = harness.start();
  const run = () => process.execute({ integration: { id: park }, wanted: { actionId: action }, triggeredBy: 'manual' });
  for (let minute = 0; minute < 120; minute += 2) {
    for (const [each, ago] of [
      [source, 1_500],
      ['other', 1_000],
    ] as const) {
      const at = iso(harness.clock.now() - ago);
      rows.push({ ...row, id: `${each}${minute}`, recorded_at: at, created_at: at, source: each });
    }
    if (minute % 10 === 8) await run();
    await harness.clock.advance(120_000);
  }
  const others = harness.events().filter((event) => event.source === 'site-src-other');
  t.is(others.length, 60);
  await harness.clock.advance(3_600_000);
  await run();
  t.is(harness.events().length, 120);
});

test('look-ups that get no answer are given up after a few, so that names never cost the run its time', async (t) => {
  const harness = harnessOfNames();
  showRows(harness, 100, (n) => ({ source: `5c000000-0000-4000-8000-${String(n).padStart(12, '0')}` }));
  harness.site.onRequest = (url) => (url.pathname.endsWith('/subjects') ? httpAnswer(503) : undefined);
  t.is((await harness.run(action, config)).kind, 'complete');
  t.is(harness.events().length, 100);
  const asked = harness.site.requests.filter(({ url }) => url.endsWith('/subjects'));
  t.true(asked.length < 50, String(asked.length));
});
