import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { ledgerKey, readEntry } from './entry.ts';

const at = '2026-01-01T00:00:00.000Z';
const entry = {
  state: 'sending',
  attempts: 2,
  unknown_calls: 1,
  owner: 'w',
  updated_at: at,
  status: 504,
  code: 1,
  first_seen_at: at,
};

test('an entry is read as it was written', (t) => {
  t.deepEqual<unknown, unknown>(readEntry(JSON.stringify(entry)), entry);
});

test('an entry without what this version adds is still an entry: its age counts from its last change', (t) => {
  t.deepEqual(readEntry(JSON.stringify({ state: 'accepted', updated_at: at })), {
    state: 'accepted',
    attempts: 0,
    unknown_calls: 0,
    owner: null,
    updated_at: at,
    status: null,
    code: null,
    first_seen_at: at,
  });
});

test('members of the wrong kind count as absent, a code may be a word', (t) => {
  const odd = {
    ...entry,
    attempts: -1,
    unknown_calls: 'x',
    owner: 5,
    status: 'x',
    code: 'text_invalid',
    first_seen_at: 'x',
    more: 1,
  };
  t.like(readEntry(JSON.stringify(odd)), {
    attempts: 0,
    unknown_calls: 0,
    owner: null,
    status: null,
    code: 'text_invalid',
    first_seen_at: at,
  });
});

test('what is no entry is none', (t) => {
  for (const text of [
    null,
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"state":"lost"}',
    JSON.stringify({ ...entry, updated_at: 'x' }),
  ])
    t.is(readEntry(text), null, String(text));
});

testProp('whatever lies in the store, it is an entry or none', [fc.string()], (t, text) => {
  t.notThrows(() => readEntry(text));
});

test('the key names the delivery and the device', (t) => {
  t.is(ledgerKey('park-1', 'd-1', '300434030000001'), 'push.park-1.d-1.300434030000001');
});

const id = fc.constantFrom('', 'a', '.', 'a.', '.a');

testProp(
  'texts share an entry only when destination, delivery and device are the same',
  [fc.tuple(id, id, id), fc.tuple(id, id, id)],
  (t, one, other) => {
    const same = one.every((part, at) => part === other[at]);
    t.is(ledgerKey(...one) === ledgerKey(...other), same);
  },
  { numRuns: 2_000 },
);
