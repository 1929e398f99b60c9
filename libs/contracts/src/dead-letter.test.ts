import test from 'ava';
import { deadLetterBodyLimit, deadLetterKindSchema, deadLetterSchema, topics } from './index.ts';

const letter = {
  v: 1,
  id: '0b0c3c5e-0000-4000-8000-000000000002',
  kind: 'webhook_event',
  integration_id: '5e0c3c5e-0000-4000-8000-000000000001',
  reason: 'bad_time',
  detail: 'The timeStamp is unreadable',
  received_at: '2024-04-23T12:49:03Z',
  failed_at: '2024-04-23T12:49:04Z',
  attempts: 1,
  origin: { topic: 'source-events', partition: 0, offset: '1' },
  headers: { 'content-type': 'application/json', 'x-outbound-auth-token': '**********' },
  body_base64: 'e30=',
};

test('a dead letter of every kind is one', (t) => {
  for (const kind of [
    'webhook_body',
    'webhook_event',
    'observation',
    'message',
    'site_event',
    'push_envelope',
    'push_message',
    'command',
    'config_event',
  ])
    t.deepEqual<unknown, unknown>(deadLetterSchema.parse({ ...letter, kind }), { ...letter, kind });
  t.is(deadLetterKindSchema.options.length, 9);
});

test('integration and origin may be unknown, but are never left out', (t) => {
  t.true(deadLetterSchema.safeParse({ ...letter, integration_id: null, origin: null }).success);
  for (const key of Object.keys(letter)) {
    const rest = Object.fromEntries(Object.entries(letter).filter(([name]) => name !== key));
    t.false(deadLetterSchema.safeParse(rest).success, key);
  }
});

test('a cut body says its size and hash', (t) => {
  const cut = { ...letter, bytes: 9_000_000, sha256: 'f'.repeat(64), truncated: true };
  t.deepEqual<unknown, unknown>(deadLetterSchema.parse(cut), cut);
});

test('another version, an unknown kind, a negative count or a numeric offset is refused', (t) => {
  for (const other of [
    { v: 2 },
    { kind: 'unknown' },
    { attempts: -1 },
    { attempts: 0.5 },
    { origin: { topic: 'a', partition: 0, offset: 1 } },
    { headers: { a: 1 } },
  ])
    t.false(deadLetterSchema.safeParse({ ...letter, ...other }).success, JSON.stringify(other));
});

test('the largest body that is kept fits into a record of the topic, in base64 with the members around it', (t) => {
  const base64 = Math.ceil(deadLetterBodyLimit / 3) * 4;
  t.true(base64 + 64 * 1024 < topics.deadLetters.maxRecordBytes);
});
