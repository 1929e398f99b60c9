import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { exceededLimit, type ExceededLimit } from './envelope.ts';

const childrenOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...childrenOf(value).map(depthOf)) : 0;
const valuesOf = (value: unknown): number => childrenOf(value).reduce((sum: number, child) => sum + valuesOf(child), 1);
const entriesOf = (value: unknown): number =>
  Array.isArray(value)
    ? 0
    : Math.max(0, ...childrenOf(value).map((child) => (Array.isArray(child) ? child.length : 0)));

const many = { depth: 100, values: 100_000, entries: 100_000 };
const over = (json: string | Uint8Array, limit: Partial<typeof many>): ExceededLimit | undefined =>
  exceededLimit(Buffer.from(json), { ...many, ...limit });

const anyJson = fc.jsonValue({ maxDepth: 8 });
const envelopes = fc.record({ Events: fc.array(anyJson), Version: anyJson });

testProp(
  'depth, values and entries are those of the value, however its JSON is laid out',
  [fc.oneof(anyJson, envelopes), fc.constantFrom(0, 1, '\t', ' \n ')],
  (t, value, layout) => {
    const json = JSON.stringify(value, null, layout);
    const [depth, values, entries] = [depthOf(value), valuesOf(value), entriesOf(value)];
    t.is(over(json, { depth, values, entries: Math.max(1, entries) }), undefined);
    if (depth > 0) t.is(over(json, { depth: depth - 1 }), 'depth');
    t.is(over(json, { values: values - 1 }), 'values');
    if (entries > 1) t.is(over(json, { entries: entries - 1 }), 'entries');
  },
);

testProp(
  'texts of brackets, commas, quotes and backslashes are one value',
  [
    fc.oneof(
      fc.string({ unit: fc.constantFrom('[', '{', '"', ',', '\\', ']', 'a') }),
      fc.string({ unit: fc.constantFrom('a'.repeat(70), 'a', '"', '\\', 'a'.repeat(63)), maxLength: 40 }),
    ),
  ],
  (t, text) => {
    t.is(over(JSON.stringify(text), { depth: 0, values: 1, entries: 0 }), undefined);
    t.is(over(JSON.stringify([text, 0]), { values: 2 }), 'values');
  },
);

testProp('any bytes are looked at without throwing', [fc.uint8Array(), fc.nat(5)], (t, bytes, limit) => {
  t.notThrows(() => over(bytes, { depth: limit, values: limit, entries: limit }));
});

test('a million levels are found at the limit', (t) => {
  t.is(over(Buffer.alloc(1_000_000, '['), { depth: 64 }), 'depth');
  t.is(over('{"a":'.repeat(1_000), { depth: 64 }), 'depth');
});

test('a list that is no member of the outermost object has no limit of entries', (t) => {
  t.is(over('[[0,0,0,0]]', { entries: 2 }), undefined);
  t.is(over('{"a":{"b":[0,0,0,0]}}', { entries: 2 }), undefined);
});
