import { fc, testProp } from '@fast-check/ava';
import { type DeadLetter, deadLetterSchema } from '@ranger-relay/contracts';
import { seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { deadLetterOf } from '../dead-letters.ts';
import { apartName } from '../lanes.ts';
import type { BusRecord, DeadLetterDraft, Outcome } from '../port.ts';
import { batchResultOf, factsOf, type GivenUpRecord, handlerFailed } from './delivery.ts';

const record: BusRecord = {
  topic: 'source-events',
  partition: 3,
  offset: 12_345_678_901_234_567_890n,
  key: 'i-1:300434030000000',
  value: Buffer.from('the body'),
  headers: { traceparent: '00-1', 'x-api-key': 'k', apikey: 'k', Authorization: 'Bearer k' },
  timestamp: Date.UTC(2026, 0, 1),
};
const draft: DeadLetterDraft = { kind: 'observation', integrationId: 'i-1', reason: 'refused', detail: 'why' };
const givenUp = (more: Partial<GivenUpRecord> = {}): DeadLetter => {
  const facts = factsOf({ record, letter: draft, group: 'group', attempts: 2, fallbackKind: 'command', ...more });
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
  t.is(givenUp({ letter: { ...draft, kind: 'gossip' } }).kind, 'command');
});

test('a record that the handler throws on names the integration of its key and the error', (t) => {
  const draft = handlerFailed(record, 'message', 5, new TypeError('no'));
  t.like(draft, { kind: 'message', integrationId: 'i-1', reason: 'handler_failed' });
  t.regex(draft.detail, /5 times: TypeError: no/);
  t.regex(handlerFailed(record, 'message', 1, undefined).detail, /undefined/);
  t.is(handlerFailed({ ...record, key: '' }, 'message', 1, null).integrationId, null);
});

const letter: DeadLetterDraft = { kind: 'message', integrationId: null, reason: 'r', detail: 'd' };
const done: Outcome = { kind: 'done' };
const dead: Outcome = { kind: 'dead', letter };
const retry = (afterMs: number): Outcome => ({ kind: 'retry', afterMs });
const of = (count: number) => ({ lane: '', records: Array.from({ length: count }, () => record) });

test('all done is all finished', (t) => {
  t.deepEqual(batchResultOf([done, done], of(2)), {
    finished: 2,
    retryAfterMs: 0,
    deadLetters: [],
    apart: [],
    maybeSent: [],
    after: new Map(),
  });
});

test('the first retry ends what counts', (t) => {
  t.deepEqual(batchResultOf([done, dead, retry(50), dead, retry(1)], of(5)), {
    finished: 2,
    retryAfterMs: 50,
    deadLetters: [{ index: 1, letter }],
    apart: [],
    maybeSent: [],
    after: new Map(),
  });
});

test('a record that waits apart holds the later ones of its key, whatever their outcomes, and no others', (t) => {
  const apart: Outcome = { kind: 'retry', afterMs: 50, apart: true };
  const records = ['a', 'b', 'a', 'b', 'c'].map((key) => ({ key }));
  const outcomes = [done, apart, done, dead, dead];
  const all = {
    finished: 5,
    retryAfterMs: 50,
    deadLetters: [{ index: 4, letter }],
    apart: [1],
    maybeSent: [],
    after: new Map(),
  };
  t.deepEqual(batchResultOf(outcomes, { lane: '', records }), all);
  t.deepEqual(batchResultOf([apart, done], { lane: apartName('a'), records: records.slice(0, 2) }), {
    finished: 0,
    retryAfterMs: 50,
    deadLetters: [],
    apart: [],
    maybeSent: [],
    after: new Map(),
  });
});

test('the wait of a retry is bounded', (t) => {
  t.is(batchResultOf([retry(-5)], of(1)).retryAfterMs, 0);
  t.is(batchResultOf([retry(Infinity)], of(1)).retryAfterMs, 3_600_000);
});

const wrong: readonly (readonly [string, unknown])[] = [
  ['too few', []],
  ['too many', [done, done]],
  ['nothing', undefined],
  ['no list', { length: 1 }],
  ['an unknown kind', [{ kind: 'maybe' }]],
  ['no outcome', [null]],
  ['a retry without a time', [{ kind: 'retry' }]],
  ['a retry at no number', [retry(Number.NaN)]],
];
for (const [name, answer] of wrong)
  test(`${name} is not an answer`, (t) => {
    t.throws(() => batchResultOf(answer as readonly Outcome[], of(1)), { instanceOf: TypeError });
  });

testProp(
  'finished counts exactly the outcomes before the first retry, and only dead ones among them are dead-lettered',
  [fc.array(fc.constantFrom(done, dead, retry(7)), { minLength: 1, maxLength: 20 })],
  (t, outcomes) => {
    const { finished, retryAfterMs, deadLetters } = batchResultOf(outcomes, of(outcomes.length));
    const stop = outcomes.findIndex(({ kind }) => kind === 'retry');
    t.is(finished, stop === -1 ? outcomes.length : stop);
    t.is(retryAfterMs, stop === -1 ? 0 : 7);
    t.deepEqual(
      deadLetters.map(({ index }) => index),
      outcomes.flatMap(({ kind }, index) => (kind === 'dead' && index < finished ? [index] : [])),
    );
  },
);
