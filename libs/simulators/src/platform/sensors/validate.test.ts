import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { message, observation } from '../../test/harness.ts';
import { breaksPlatform, schemas, validate } from './validate.ts';

const problems = (kind: keyof typeof schemas, item: unknown): string[] =>
  Object.keys(validate(kind, schemas[kind], item).problems);

const event = { recorded_at: '2026-01-01T00:00:00Z', title: 'Fire', location: { lat: 0, lon: 0 }, priority: 100 };

const bad: readonly (readonly [kind: keyof typeof schemas, field: string, item: unknown])[] = [
  ['observation', 'recorded_at', observation(0, { recorded_at: undefined })],
  ['observation', 'recorded_at', observation(0, { recorded_at: 1_767_225_600_000 })],
  ['observation', 'recorded_at', observation(0, { recorded_at: '2026-13-01T00:00:00Z' })],
  ['observation', 'recorded_at', observation(0, { recorded_at: 'yesterday' })],
  ['observation', 'location', observation(0, { location: undefined })],
  ['observation', 'location', observation(0, { location: { lat: 90.1, lon: 0 } })],
  ['observation', 'location', observation(0, { location: { lat: 0, lon: -180.1 } })],
  ['observation', 'location', observation(0, { location: { lat: '1', lon: 2 } })],
  ['observation', 'location', observation(0, { location: { latitude: 1, longitude: 2 } })],
  ['observation', 'location', observation(0, { location: [1, 2] })],
  ['observation', 'source', observation(0, { source: '' })],
  ['observation', 'source', observation(0, { source: null })],
  ['observation', 'source_name', observation(0, { source_name: 5 })],
  ['observation', 'type', observation(0, { type: '' })],
  ['observation', 'subject_type', observation(0, { subject_type: null })],
  ['observation', 'additional', observation(0, { additional: null })],
  ['observation', 'annotations', observation(0, { annotations: [] })],
  ['observation', 'non_field_errors', 'no object'],
  ['observation', 'non_field_errors', null],
  ['message', 'sender', message(0, { sender: '' })],
  ['message', 'recipients', message(0, { recipients: undefined })],
  ['message', 'recipients', message(0, { recipients: [''] })],
  ['message', 'recipients', message(0, { recipients: '300' })],
  ['message', 'text', message(0, { text: 7 })],
  ['message', 'location', message(0, { location: { lat: 1, lon: 2 } })],
  ['message', 'location', message(0, { location: null })],
  ['event', 'recorded_at', { ...event, recorded_at: undefined }],
  ['event', 'priority', { ...event, priority: '100' }],
  ['event', 'title', { ...event, title: null }],
  ['event', 'geometry', { ...event, geometry: 'POINT' }],
];
for (const [kind, field, item] of bad)
  test(`a ${kind} is refused for ${field}: ${JSON.stringify(item)}`, (t) => {
    t.deepEqual(problems(kind, item), [field]);
  });

const good: readonly (readonly [kind: keyof typeof schemas, item: unknown])[] = [
  ['observation', { recorded_at: '2026-01-01T03:00:00.123+03:00', location: { lat: -90, lon: 180 } }],
  ['observation', observation(0, { source_name: 'x', type: 'gps-radio', subject_type: 'ranger', annotations: {} })],
  ['message', message(0, { text: '' })],
  ['message', { sender: 'a', device_ids: ['b'], created_at: '2026-01-01T00:00:00Z' }],
  ['event', event],
  ['event_change', { status: 'resolved' }],
];
for (const [kind, item] of good)
  test(`a ${kind} is accepted: ${JSON.stringify(item)}`, (t) => {
    t.deepEqual(problems(kind, item), []);
  });

test('a null text of a message breaks the platform, and any text that its database cannot hold', (t) => {
  t.true(breaksPlatform('message', message(0, { text: null })));
  t.deepEqual(problems('message', message(0, { text: null })), []);
  t.false(breaksPlatform('message', message(0, { text: '' })));
  t.false(breaksPlatform('observation', { text: null }));
  for (const text of ['a\u0000', '\uD83D', '\\\u0000'])
    t.true(breaksPlatform('observation', observation(0, { additional: { deep: [text] } })), JSON.stringify(text));
  for (const text of ['\\u0000', '\\\\ud83d', '😀', '\u0007'])
    t.false(breaksPlatform('message', message(0, { text })), JSON.stringify(text));
});

test('members that the platform does not know are named, not refused', (t) => {
  const checked = validate('observation', schemas.observation, observation(0, { color: 'red' }));
  t.deepEqual(checked, { problems: {}, unknown: ['color'] });
});

testProp('whatever comes as an item gets a verdict', [fc.anything()], (t, item) => {
  t.true(Object.values(validate('message', schemas.message, item).problems).every(Array.isArray));
});

testProp('coordinates pass exactly when they are on the globe', [fc.double(), fc.double()], (t, lat, lon) => {
  const onGlobe = Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
  t.is(problems('observation', observation(0, { location: { lat, lon } })).length === 0, onGlobe);
});
