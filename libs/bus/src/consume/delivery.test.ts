import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import type { DeadLetterDraft, Outcome } from '../port.ts';
import { batchResultOf } from './delivery.ts';

const letter: DeadLetterDraft = { kind: 'message', integrationId: null, reason: 'r', detail: 'd' };
const done: Outcome = { kind: 'done' };
const dead: Outcome = { kind: 'dead', letter };
const retry = (afterMs: number): Outcome => ({ kind: 'retry', afterMs });

test('all done is all finished', (t) => {
  t.deepEqual(batchResultOf([done, done], 2), { finished: 2, retryAfterMs: 0, deadLetters: [] });
});

test('the first retry ends what counts', (t) => {
  t.deepEqual(batchResultOf([done, dead, retry(50), dead, retry(1)], 5), {
    finished: 2,
    retryAfterMs: 50,
    deadLetters: [{ index: 1, letter }],
  });
});

test('the wait of a retry is bounded', (t) => {
  t.is(batchResultOf([retry(-5)], 1).retryAfterMs, 0);
  t.is(batchResultOf([retry(Infinity)], 1).retryAfterMs, 3_600_000);
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
    t.throws(() => batchResultOf(answer as readonly Outcome[], 1), { instanceOf: TypeError });
  });

testProp(
  'finished counts exactly the outcomes before the first retry, and only dead ones among them are dead-lettered',
  [fc.array(fc.constantFrom(done, dead, retry(7)), { minLength: 1, maxLength: 20 })],
  (t, outcomes) => {
    const { finished, retryAfterMs, deadLetters } = batchResultOf(outcomes, outcomes.length);
    const stop = outcomes.findIndex(({ kind }) => kind === 'retry');
    t.is(finished, stop === -1 ? outcomes.length : stop);
    t.is(retryAfterMs, stop === -1 ? 0 : 7);
    t.deepEqual(
      deadLetters.map(({ index }) => index),
      outcomes.flatMap(({ kind }, index) => (kind === 'dead' && index < finished ? [index] : [])),
    );
  },
);
