import test from 'ava';
import { deadLetterSchema, type DeadLetter } from '@ranger-relay/contracts';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { deadLetterOf } from '../dead-letters.ts';
import type { BusRecord, DeadLetterDraft } from '../port.ts';
import { factsOf, handlerFailed, type GivenUpRecord } from './dead-letter.ts';

const record: BusRecord = {
  topic: 'source-events',
  partition: 3,
  offset: 12_345_678_901_234_567_890n,
  key: 'i-1:300434030000000',
  value: Buffer.from('the body'),
  headers: { traceparent: '00-1', 'x-api-key': 'k', apikey: 'k', Authorization: 'Bearer k' },
  timestamp: Date.UTC(2026, 0, 1),
};
const letter: DeadLetterDraft = { kind: 'observation', integrationId: 'i-1', reason: 'refused', detail: 'why' };
const givenUp = (more: Partial<GivenUpRecord> = {}): DeadLetter => {
  const facts = factsOf({ record, letter, group: 'group', attempts: 2, fallbackKind: 'command', ...more });
  return deadLetterOf(facts, { now: Date.UTC(2026, 0, 2), random: seededRandom(1) });
};

test('a dead letter is what the contract says', (t) => {
  const dead = givenUp();
  t.deepEqual(deadLetterSchema.parse(dead), dead);
  t.like(dead, {
    kind: 'observation',
    integration_id: 'i-1',
    reason: 'refused',
    detail: 'why',
    received_at: '2026-01-01T00:00:00.000Z',
    failed_at: '2026-01-02T00:00:00.000Z',
    attempts: 2,
    origin: { topic: 'source-events', partition: 3, offset: '12345678901234567890' },
    body_base64: Buffer.from('the body').toString('base64'),
  });
  t.is(dead.truncated, undefined);
});

test('headers that hold secrets are masked, others stay', (t) => {
  const { headers } = givenUp();
  t.is(headers['traceparent'], '00-1');
  t.is(headers['apikey'], '**********');
  t.is(headers['Authorization'], '**********');
  t.is(record.headers['Authorization'], 'Bearer k');
});

test('the same record of the same group always has the same id, another one another', (t) => {
  const id = givenUp().id;
  t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  t.is(givenUp({ attempts: 9 }).id, id);
  t.not(givenUp({ group: 'another' }).id, id);
  t.not(givenUp({ record: { ...record, offset: 1n } }).id, id);
});

test('a kind that the contract does not know gives way to that of the consumer', (t) => {
  t.is(givenUp({ letter: { ...letter, kind: 'gossip' } }).kind, 'command');
});

test('a record that the handler throws on names the integration of its key and the error', (t) => {
  const draft = handlerFailed(record, 'message', 5, new TypeError('no'));
  t.like(draft, { kind: 'message', integrationId: 'i-1', reason: 'handler_failed' });
  t.regex(draft.detail, /5 times: TypeError: no/);
  t.regex(handlerFailed(record, 'message', 1, undefined).detail, /undefined/);
  t.is(handlerFailed({ ...record, key: '' }, 'message', 1, null).integrationId, null);
});
