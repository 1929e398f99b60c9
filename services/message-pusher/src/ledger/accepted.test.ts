import test from 'ava';
import type { LedgerEntry } from './entry.ts';
import { rememberAccepted } from './accepted.ts';

const entry = { state: 'accepted' } as LedgerEntry;

test('the memory is bounded: the oldest go first, what is added again is young', (t) => {
  const memory = rememberAccepted(2);
  for (const key of ['a', 'b', 'a', 'c']) memory.add(key, entry);
  t.deepEqual(
    ['a', 'b', 'c'].map((key) => memory.get(key) === entry),
    [true, false, true],
  );
});
