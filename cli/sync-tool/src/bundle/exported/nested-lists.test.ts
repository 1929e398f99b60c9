import test from 'ava';
import { array, assert, constantFrom, double, integer, jsonValue, oneof, property, record, string } from 'fast-check';
import { DocumentFault, NestedLists } from './nested-lists.ts';

const levels = [
  { list: 'patrols', members: new Set(['key', 'text']) },
  { list: 'legs', members: new Set(['key', 'list']) },
];

/** What the lists of a text give when it comes in pieces of these sizes. */
const objectsOf = (text: string, sizes: readonly number[]): readonly (readonly [number, unknown])[] => {
  const found: (readonly [number, unknown])[] = [];
  const lists = new NestedLists(levels, (level, json) => found.push([level, JSON.parse(json)]));
  const bytes = Buffer.from(text);
  for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
    const size = sizes[piece % sizes.length] ?? 1;
    lists.take(bytes.subarray(at, at + size));
    at += size;
  }
  lists.finish();
  return found;
};

const pieces = array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const value = oneof(string(), string({ unit: 'grapheme' }), jsonValue());
const legOf = record({ key: value, days: value, list: value, 'o"dd\\': value }, { requiredKeys: [] });
const patrolOf = record(
  { key: value, text: value, other: value, legs: oneof(array(legOf, { maxLength: 4 }), string()) },
  { requiredKeys: [] },
);
const documents = record({ before: value, patrols: array(patrolOf, { maxLength: 4 }), after: value });

type Object = Readonly<Record<string, unknown>>;
const read = (object: Object, members: readonly string[], list?: string): Object =>
  Object.fromEntries(
    Object.entries(object).map(([name, member]) => {
      if (name === list) return [name, Array.isArray(member) ? [] : member];
      return [name, members.includes(name) ? member : null];
    }),
  );

test('whatever a document of nested lists holds and however it is cut, its objects are those of a parser', (t) => {
  assert(
    property(documents, pieces, constantFrom(0, 1), (document, sizes, indent) => {
      const copy = JSON.parse(JSON.stringify(document)) as typeof document;
      const expected = copy.patrols.flatMap((patrol) => [
        ...(Array.isArray(patrol.legs) ? patrol.legs : []).map((leg) => [1, read(leg, ['key', 'list'])]),
        [0, read(patrol, ['key', 'text'], 'legs')],
      ]);
      const found = objectsOf(JSON.stringify(document, null, indent), sizes);
      t.deepEqual(found, [...expected, [-1, read(copy, [], 'patrols')]] as unknown as typeof found);
    }),
  );
});

test('a document that is cut off anywhere is never taken for a whole one', (t) => {
  assert(
    property(documents, double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (document, share) => {
      const text = JSON.stringify(document);
      t.throws(() => objectsOf(text.slice(0, Math.floor(text.length * share)), [7]));
    }),
  );
});

for (const [text, words] of [
  ['', /is empty/],
  ['[]', /is not an object/],
  ['{"patrols":[1]}', /patrols holds something other than objects/],
  ['{"patrols":[{},]}', /patrols holds something other than objects/],
  ['{"patrols":[{} {}]}', /patrols holds something other than objects/],
  ['{"patrols":[{"x":[}]}', /brackets do not match/],
  ['{"patrols":[]} x', /more text behind its end/],
  [`{"x":${'['.repeat(70)}`, /nests deeper than 64/],
] as const)
  test(`${text.slice(0, 24)} is refused`, (t) => {
    t.regex(t.throws(() => objectsOf(text, [5]), { instanceOf: DocumentFault }).message, words);
  });
