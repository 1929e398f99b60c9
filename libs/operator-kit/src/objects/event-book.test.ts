import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createEventBook, type Occurrence } from './event-book.ts';

const said: Occurrence = { type: 'Warning', reason: 'Failed', message: 'why' };
const minute = 60_000;

test('the same is one event, whose count is written once a minute', (t) => {
  const book = createEventBook();
  const entry = book.note('a', said, 0);
  t.is(entry.kind, 'new');
  t.is(book.note('a', said, 1).kind, 'none');
  if (entry.kind === 'new') book.written(entry.id, 'event-1');
  t.is(book.note('a', said, minute - 1).kind, 'none');
  t.like(book.note('a', said, minute), { kind: 'count', name: 'event-1', count: 4 });
  t.is(book.note('a', said, minute + 1).kind, 'none');
});

test('what differs in object, type, reason or message is another event', (t) => {
  const book = createEventBook();
  book.note('a', said, 0);
  for (const [object, other] of [
    ['b', said],
    ['a', { ...said, type: 'Normal' as const }],
    ['a', { ...said, reason: 'Other' }],
    ['a', { ...said, message: 'because' }],
  ] as const)
    t.is(book.note(object, other, 1).kind, 'new');
});

test('half an hour later it is a new event, and one that could not be written is, too', (t) => {
  const book = createEventBook();
  const entry = book.note('a', said, 0);
  t.is(book.note('a', said, 30 * minute).kind, 'new');
  if (entry.kind === 'new') book.forget(entry.id);
  t.is(book.note('a', said, 30 * minute + 1).kind, 'new');
});

testProp(
  'what is remembered is bounded',
  [fc.integer({ min: 1_001, max: 3_000 })],
  (t, count) => {
    const book = createEventBook();
    for (let n = 0; n < count; n += 1) book.note(`a${n}`, said, n);
    t.is(book.note('a0', said, count).kind, 'new');
    t.is(book.note(`a${count - 1}`, said, count).kind, 'none');
  },
  { numRuns: 20 },
);
