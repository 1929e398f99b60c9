import { messageSchema, observationSchema } from '@ranger-relay/contracts';
import test from 'ava';
import { imei, noFixPoint, recordOf, wire } from './test/events.ts';

const status = { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0, low_battery_label: 'ok' };
const motion = { altitude: 1661.5, gpsFix: 2, course: 337.5, speed: 58.665 };

test('a position becomes the documented observation', (t) => {
  const { observation, message, ...record } = recordOf(wire());
  t.deepEqual(observation, {
    source: imei,
    source_name: imei,
    type: 'gps-radio',
    subject_type: 'ranger',
    recorded_at: '2024-04-23T12:49:03Z',
    location: { lat: -1.28612, lon: 36.81722 },
    additional: {
      ...status,
      ...motion,
      message_code: 0,
      message_code_name: 'position_report',
      transport_mode: 'Satellite',
    },
  });
  t.is(message, null);
  t.like(record, {
    v: 1,
    integration_id: '11111111-1111-4111-8111-111111111111',
    received_at: '2024-04-23T13:00:00.000Z',
    source: imei,
    kind: 'device',
    message_code: 0,
    sos: null,
  });
});

test('a text becomes the documented message', (t) => {
  const event = wire({ messageCode: 3, freeText: 'Back at noon', addresses: [{ address: '+254700000000' }] });
  t.deepEqual(recordOf(event).message, {
    source: imei,
    sender: imei,
    recipients: [],
    text: 'Back at noon',
    recorded_at: '2024-04-23T12:49:03Z',
    location: { latitude: -1.28612, longitude: 36.81722 },
    additional: {
      message_code: 3,
      message_code_name: 'free_text',
      transport_mode: 'Satellite',
      status,
      recipient_addresses: ['+254700000000'],
      ...motion,
    },
  });
});

for (const [lowBattery, label] of [
  [0, 'ok'],
  [1, 'low'],
  [2, 'not indicated'],
  [3, 'not indicated'],
  [null, 'not indicated'],
  [undefined, 'not indicated'],
  ['0', 'ok'],
  ['1', 'low'],
] as const)
  test(`lowBattery ${JSON.stringify(lowBattery)} is labelled ${label}`, (t) => {
    const { observation, message } = recordOf(wire({ messageCode: 3, status: { lowBattery } }));
    t.is(observation?.additional['low_battery_label'], label);
    t.like(message?.additional['status'], { low_battery_label: label });
  });

test('members that the vendor left out are null, status is always an object, addresses always a list', (t) => {
  for (const empty of [null, undefined]) {
    const parts = { status: empty, addresses: empty, transportMode: empty, freeText: empty, messageCode: 3 };
    const { observation, message } = recordOf(wire({ ...parts, point: { latitude: 1, longitude: 2 } }));
    const noStatus = {
      autonomous: null,
      lowBattery: null,
      intervalChange: null,
      resetDetected: null,
      low_battery_label: 'not indicated',
    };
    const noMotion = { altitude: null, gpsFix: null, course: null, speed: null };
    const code = { message_code: 3, message_code_name: 'free_text', transport_mode: null };
    t.deepEqual(observation?.additional, { ...noStatus, ...noMotion, ...code });
    t.deepEqual(message?.additional, { ...code, status: noStatus, recipient_addresses: [], ...noMotion });
    t.is(message?.text, '');
  }
});

const texts = (members: unknown): object =>
  Object.fromEntries(Object.entries(members as object).map(([name, value]) => [name, String(value)]));

test('texts of numbers give the records that the numbers give', (t) => {
  const event = wire({ messageCode: 3, freeText: 'At the ford' });
  const asTexts = { ...event, point: texts(event['point']), status: texts(event['status']) };
  t.deepEqual(recordOf(asTexts), recordOf(event));
});

test('numbers pass unrounded', (t) => {
  const point = { latitude: -1.286_123_456_789, longitude: 36.000_000_000_1, altitude: 0.1, gpsFix: 3, speed: 1e-7 };
  const { observation } = recordOf(wire({ point }));
  t.deepEqual(observation?.location, { lat: point.latitude, lon: point.longitude });
  t.like(observation?.additional, { altitude: 0.1, speed: 1e-7, course: null });
});

const markNames = new Set([
  'stale_fix',
  'no_fix',
  'fix_unreadable',
  'reference_point',
  'sos',
  'imeis',
  'time_from',
  'media_id',
  'transcription',
]);

const twice = (value: unknown): unknown[] => [value, value];

const marksOf = (parts: Record<string, unknown>, settings = {}): unknown[] => {
  const { observation, message } = recordOf(wire(parts), { message_codes: [0, 3, 4, 8], ...settings });
  return [observation, message].map((part) =>
    Object.fromEntries(Object.entries(part?.additional ?? {}).filter(([key]) => markNames.has(key))),
  );
};

test('marks stand on both records, and only when they apply', (t) => {
  t.deepEqual(marksOf({}), twice({}));
  t.deepEqual(marksOf({ point: { latitude: 1, longitude: 2, gpsFix: 0 } }), twice({ stale_fix: true }));
  t.deepEqual(marksOf({ point: noFixPoint }, { include_no_fix: true }), twice({ no_fix: true }));
  t.deepEqual(marksOf({ messageCode: 8 }), twice({ reference_point: true }));
  t.deepEqual(marksOf({ messageCode: 4 }), twice({ sos: 'declared' }));
  t.deepEqual(marksOf({ messageCode: 4, timeStamp: 'x' }), twice({ sos: 'declared', time_from: 'receipt' }));
  t.deepEqual(marksOf({ imei: '300434030000000,24' }), twice({ imeis: ['300434030000000', '24'] }));
  t.deepEqual(marksOf({ mediaId: 'm1', transcription: 'hello' }), twice({ media_id: 'm1', transcription: 'hello' }));
});

test('media bytes never reach a record', (t) => {
  const media = { mediaBytes: 'QUJD'.repeat(1_000), mediaId: 'm1', mediaType: 'audio/ogg', transcription: 'hello' };
  const record = recordOf(wire({ messageCode: 3, ...media }));
  t.false(JSON.stringify(record).includes('QUJD'));
  t.like(record.observation?.additional, { media_id: 'm1', media_type: 'audio/ogg', transcription: 'hello' });
});

test('records are what the contracts say', (t) => {
  const { observation, message } = recordOf(wire({ messageCode: 3, freeText: 'a', imei: '1,2' }));
  t.deepEqual(observationSchema.parse(observation), observation);
  t.deepEqual(messageSchema.parse(message), message);
});
