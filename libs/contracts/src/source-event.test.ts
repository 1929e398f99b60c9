import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import {
  integrationOfKey,
  messageSchema,
  observationSchema,
  sosStateSchema,
  sourceEventKey,
  sourceEventSchema,
} from './index.ts';

const status = { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0, low_battery_label: 'ok' };

const observation = {
  source: '300434030000000',
  source_name: '300434030000000',
  type: 'gps-radio',
  subject_type: 'ranger',
  recorded_at: '2024-04-23T12:49:03Z',
  location: { lat: -1.28612, lon: 36.81722 },
  additional: {
    ...status,
    altitude: 1661.5,
    gpsFix: 2,
    course: 337.5,
    speed: 58.665,
    message_code: 0,
    message_code_name: 'position_report',
    transport_mode: 'Satellite',
  },
};

const message = {
  source: '300434030000000',
  sender: '300434030000000',
  recipients: [],
  text: 'Back at noon',
  recorded_at: '2024-04-23T12:49:03Z',
  location: { latitude: -1.28612, longitude: 36.81722 },
  additional: { message_code: 3, message_code_name: 'free_text', status, recipient_addresses: ['+254700000000'] },
};

const event = {
  v: 1,
  integration_id: '5e0c3c5e-0000-4000-8000-000000000001',
  event_id: 'a'.repeat(64),
  received_at: '2024-04-23T12:49:05.120Z',
  source: '300434030000000',
  kind: 'device',
  message_code: 0,
  sos: null,
  observation,
  message: null,
};

const without = (record: object, key: string): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

test('an event with an observation, a message, both or neither is one', (t) => {
  for (const parts of [{}, { message }, { observation: null, message }, { observation: null }])
    t.deepEqual<unknown, unknown>(sourceEventSchema.parse({ ...event, ...parts }), { ...event, ...parts });
});

test('records pulled from a site have no message code and no sos', (t) => {
  const site = { ...without(without(event, 'message_code'), 'sos'), kind: 'site' };
  t.deepEqual<unknown, unknown>(sourceEventSchema.parse(site), site);
});

test('sos is declared, confirmed or cancelled', (t) => {
  for (const sos of ['declared', 'confirmed', 'cancelled'])
    t.is(sourceEventSchema.parse({ ...event, sos }).sos, sosStateSchema.parse(sos));
  t.false(sourceEventSchema.safeParse({ ...event, sos: 'declare' }).success);
});

test('a message without a usable fix has no location, and null is no location', (t) => {
  t.true(messageSchema.safeParse(without(message, 'location')).success);
  t.false(messageSchema.safeParse({ ...message, location: null }).success);
});

test('a text is never null and a position is never half', (t) => {
  t.false(messageSchema.safeParse({ ...message, text: null }).success);
  for (const location of [{ lat: 1 }, { lon: 1 }, { lat: '1', lon: 1 }, { lat: Number.NaN, lon: 1 }, null])
    t.false(observationSchema.safeParse({ ...observation, location }).success);
});

test('every member but the optional ones is required', (t) => {
  for (const key of Object.keys(event)) {
    const optional = key === 'message_code' || key === 'sos';
    t.is(sourceEventSchema.safeParse(without(event, key)).success, optional, key);
  }
  for (const key of Object.keys(observation)) {
    const optional = ['source_name', 'type', 'subject_type'].includes(key);
    t.is(observationSchema.safeParse(without(observation, key)).success, optional, key);
  }
  for (const key of Object.keys(message))
    t.is(messageSchema.safeParse(without(message, key)).success, key === 'location', key);
});

test('another version, kind or shape is refused', (t) => {
  for (const other of [{ v: 2 }, { kind: 'other' }, { message_code: 1.5 }, { message_code: '3' }, { observation: [] }])
    t.false(sourceEventSchema.safeParse({ ...event, ...other }).success, JSON.stringify(other));
  for (const other of [null, [], 'text', 7]) t.false(sourceEventSchema.safeParse(other).success);
});

const coordinates = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
});

testProp(
  'numbers pass unrounded and texts unchanged',
  [coordinates, fc.string({ unit: 'grapheme' })],
  (t, location, text) => {
    const parsed = sourceEventSchema.parse({
      ...event,
      observation: { ...observation, location },
      message: { ...message, text },
    });
    t.deepEqual(parsed.observation?.location, location);
    t.is(parsed.message?.text, text);
  },
);

testProp('a key gives back its integration, whatever the source', [fc.uuid(), fc.string()], (t, id, source) => {
  t.is(integrationOfKey(sourceEventKey(id, source)), id);
});

test('a key without a source is the integration itself, as on the parked topic', (t) => {
  t.is(integrationOfKey(event.integration_id), event.integration_id);
  t.is(integrationOfKey(''), '');
});

test('texts are read as a database takes them', (t) => {
  const dirty = 'a\u0000b\uD83D';
  const event = sourceEventSchema.parse({
    v: 1,
    integration_id: 'park',
    event_id: 'id',
    received_at: '2024-04-23T12:49:03Z',
    source: 'imei',
    kind: 'device',
    observation: { ...observation, additional: { [dirty]: { list: [dirty, 1, null] } } },
    message: { ...message, text: dirty, recipients: [dirty] },
  });
  t.deepEqual(event.observation?.additional, { 'ab\uFFFD': { list: ['ab\uFFFD', 1, null] } });
  t.is(event.message?.text, 'ab\uFFFD');
  t.deepEqual(event.message?.recipients, ['ab\uFFFD']);
});
