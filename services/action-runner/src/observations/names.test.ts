import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { createHarness, now } from '../test/harness.ts';

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

test('an observation is mapped: source, names of who wore it then, position unrounded, all else in additional', async (t) => {
  const harness = harnessOfNames();
  await harness.run(action, config);
  t.deepEqual(harness.events()[0]?.observation, {
    source: 'COLLAR-7',
    source_name: 'New wearer',
    subject_type: 'ranger',
    recorded_at: '2026-01-10T23:30:00+00:00',
    location: { lat: -1.286389, lon: 36.817223456 },
    additional: { id: 'o1', observation_details: { speed: 3 }, exclusion_flags: 0, site_source_id: source },
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
  const [row] = harness.site.observations;
  harness.site.observations = Array.from({ length: 450 }, (_, n) => ({
    ...row,
    id: `o${n}`,
    recorded_at: new Date(Date.UTC(2026, 0, 10, 23, 30, n)).toISOString(),
  }));
  await harness.run(action, config);
  t.is(harness.events().length, 450);
  t.is(harness.site.requests.length, 5 + 3);
});

for (const [what, path, expected] of [
  ['the source', `source/${source}/`, { source: `site-src-${source}`, source_name: 'New wearer' }],
  [
    'its subjects',
    `source/${source}/subjects`,
    { source: 'COLLAR-7', source_name: undefined, subject_type: undefined },
  ],
  ['its assignments', 'subjectsources', { source: 'COLLAR-7', source_name: undefined, subject_type: undefined }],
] as const)
  for (const status of [404, 500, 503])
    test(`a look-up of ${what} that fails with ${status} only loses names`, async (t) => {
      const harness = harnessOfNames();
      harness.site.onRequest = (url) => (url.pathname.endsWith(`/${path}`) ? httpAnswer(status) : undefined);
      t.is((await harness.run(action, config)).kind, 'complete');
      t.like(harness.events()[0]?.observation, expected);
    });

test('look-ups that get no answer are given up after a few, so that names never cost the run its time', async (t) => {
  const harness = harnessOfNames();
  const [row] = harness.site.observations;
  harness.site.observations = Array.from({ length: 100 }, (_, n) => ({
    ...row,
    id: `o${n}`,
    source: `5c000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  }));
  harness.site.onRequest = (url) => (url.pathname.includes('/source/') ? httpAnswer(503) : undefined);
  t.is((await harness.run(action, config)).kind, 'complete');
  t.is(harness.events().length, 100);
  t.true(harness.site.requests.length < 100, String(harness.site.requests.length));
});
