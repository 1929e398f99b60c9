import { createHash } from 'node:crypto';
import { deadLetterBodyLimit, deadLetterSchema, topics } from '@ranger-relay/contracts';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { parkA, startMs } from '../test/events.ts';
import { deadLetterOf, safeHeaders } from './dead-letter.ts';

const refused = (bytes: Uint8Array) => ({
  kind: 'webhook_body' as const,
  integrationId: parkA,
  reason: 'invalid_json',
  detail: 'x'.repeat(2_000),
  bytes,
  receivedAt: startMs,
  headers: { host: 'relay' },
});

const letterOf = (bytes: Uint8Array) =>
  deadLetterOf(refused(bytes), { clock: manualClock(startMs + 500), random: seededRandom(1) });

test('a dead letter keeps the bytes with their size and digest', (t) => {
  const bytes = Buffer.from('not json ä');
  const letter = letterOf(bytes);
  t.deepEqual(deadLetterSchema.parse(letter), letter);
  t.like(letter, {
    kind: 'webhook_body',
    integration_id: parkA,
    received_at: '2026-01-01T00:00:00.000Z',
    failed_at: '2026-01-01T00:00:00.500Z',
    attempts: 1,
    origin: null,
    body_base64: bytes.toString('base64'),
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    truncated: false,
  });
  t.true(letter.detail.length <= 500);
});

test('bytes that lie inside a larger buffer are cut out exactly', (t) => {
  const shared = Buffer.from('before|body|after');
  t.is(Buffer.from(letterOf(shared.subarray(7, 11)).body_base64, 'base64').toString(), 'body');
});

test('the largest dead letter fits its topic', (t) => {
  const headers = safeHeaders(
    Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`h-${n}`, 'x'.repeat(10_000)])),
  );
  const letter = { ...letterOf(Buffer.alloc(16 * 1_048_576, 0xff)), headers };
  t.true(letter.truncated);
  t.is(Buffer.from(letter.body_base64, 'base64').length, deadLetterBodyLimit);
  t.true(Buffer.byteLength(JSON.stringify(letter)) < topics.deadLetters.maxRecordBytes);
});

test('headers that hold secrets are masked, others stay', (t) => {
  const secret = ['authorization', 'cookie', 'apikey', 'x-api-key', 'x-outbound-auth-token', 'x-secret'];
  const headers = safeHeaders({
    ...Object.fromEntries(secret.map((name) => [name, 'canary'])),
    host: 'relay',
    referer: 'https://user:canary@portal.example/webhooks?apikey=canary',
    'x-many': ['a', 'b'],
    'x-none': undefined,
  });
  t.false(JSON.stringify(headers).includes('canary'));
  t.like(headers, { host: 'relay', 'x-many': 'a,b', 'x-none': '' });
});
