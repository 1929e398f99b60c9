import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { z } from 'zod';
import { pullEventsConfig } from './dependencies.ts';
import { itemOf } from '../delivery/map-event.ts';
import { readEvent } from '../mapping/site-event.ts';
import { eventsQuery } from './pull-events.ts';

const start = '2026-01-01T00:00:00Z';
const parse = (parts: object = {}) => pullEventsConfig.parse({ start_datetime: start, ...parts });
const parts = { site: 'https://site.example' };
const minimal = { id: 'e', created_at: start };

test('the settings have their defaults; the start is required', (t) => {
  t.deepEqual(parse(), {
    start_datetime: start,
    force_run_since_start: false,
    run_on_schedule: false,
    filter_date_field: 'updated_at',
    event_types: [],
    event_categories: [],
    include_attachments: false,
  });
  t.false(pullEventsConfig.safeParse({}).success);
  for (const end_datetime of [null, '', start]) t.notThrows(() => parse({ end_datetime }));
  for (const bad of ['soon', '2026-13-01', 7]) {
    t.false(pullEventsConfig.safeParse({ start_datetime: bad }).success);
    t.false(pullEventsConfig.safeParse({ start_datetime: start, end_datetime: bad }).success);
  }
});

test('the settings can be published, only the start as required', (t) => {
  const schema = z.toJSONSchema(pullEventsConfig, { io: 'input', target: 'draft-7' }) as {
    required: string[];
    properties: Record<string, { title?: string }>;
  };
  t.deepEqual(schema.required, ['start_datetime']);
  for (const [name, { title }] of Object.entries(schema.properties)) t.truthy(title, name);
});

for (const [field, key] of [
  ['updated_at', 'update_date'],
  ['created_at', 'create_date'],
  ['event_time', 'date_range'],
] as const)
  test(`${field} filters by ${key} and sorts by it`, (t) => {
    const config = parse({ filter_date_field: field, include_attachments: true });
    const request = { lower: 1, upper: 2_000, sorted: true, names: { types: ['t'], categories: ['c'] } };
    const query = eventsQuery(config, request);
    t.deepEqual(JSON.parse(query['filter'] ?? ''), {
      [key]: { lower: '1970-01-01T00:00:00.000Z', upper: '1970-01-01T00:00:02.000Z' },
      event_type: ['t'],
      event_category: ['c'],
    });
    t.like(query, { page_size: '100', include_notes: 'true', include_files: 'true', sort_by: field });
    t.false('sort_by' in eventsQuery(config, { ...request, sorted: false }));
  });

const item = (row: object) => itemOf(readEvent({ ...minimal, ...row }) ?? ({} as never), parts);

test('what is missing or unusable is left out, for the platform refuses null and empty texts', (t) => {
  t.deepEqual(
    item({ title: '', event_type: null, location: { latitude: 91, longitude: 0 }, geojson: null, event_details: [] }),
    { recorded_at: start, provider_metadata: { source_event_url: 'https://site.example/events/e' } },
  );
});

test('the time is that of the event, else that of its creation; without either it cannot be mapped', (t) => {
  const time = '2026-01-02T00:00:00+03:00';
  t.is(item({ time })?.['recorded_at'], time);
  t.is(item({ time: 'noon' })?.['recorded_at'], start);
  t.is(item({ time: '2026-01-02 03:04' })?.['recorded_at'], '2026-01-02T03:04:00.000Z');
  t.is(item({ created_at: null }), undefined);
});

testProp(
  'whatever a row holds, it is left out or mapped to something without null, empty texts and bad places',
  [fc.record({ id: fc.oneof(fc.string(), fc.integer()), time: fc.constant(start) }), fc.object({ maxDepth: 2 })],
  (t, row, more) => {
    const event = readEvent({ ...more, ...row });
    if (!event) return t.true(row.id === '');
    const mapped = itemOf(event, parts) ?? t.fail();
    for (const value of Object.values(mapped)) t.true(value !== null && value !== '');
  },
);

testProp('positions pass exactly when they are on the globe', [fc.double(), fc.double()], (t, latitude, longitude) => {
  const good = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  t.deepEqual(
    item({ location: { latitude, longitude } })?.['location'],
    good ? { lat: latitude, lon: longitude } : undefined,
  );
});
