import test from 'ava';
import { array, assert, constantFrom, double, integer, jsonValue, oneof, property, record, string } from 'fast-check';
import { DocumentFault, ListScanner } from './list-scanner.ts';

/** What a text holds that comes in pieces of these sizes: the objects of its list, and the rest with 0 for each. */
const scanned = (text: string, sizes: readonly number[]) => {
  const objects: unknown[] = [];
  const scanner = new ListScanner('patrols', (json) => objects.push(JSON.parse(json)));
  const bytes = Buffer.from(text);
  for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
    const size = sizes[piece % sizes.length] ?? 1;
    scanner.take(bytes.subarray(at, at + size));
    at += size;
  }
  return { objects, around: JSON.parse(scanner.finish()) as unknown };
};

const pieces = array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const value = oneof(string(), string({ unit: 'grapheme' }), jsonValue());
const patrolOf = record({ key: value, patrols: value, 'o"dd\\': value }, { requiredKeys: [] });
const documents = record({ before: value, patrols: array(patrolOf, { maxLength: 4 }), after: value });

test('whatever a document holds and however it is cut, its objects and the rest are those of a parser', (t) => {
  assert(
    property(documents, pieces, constantFrom(0, 1), (document, sizes, indent) => {
      const copy = JSON.parse(JSON.stringify(document)) as typeof document;
      const { objects, around } = scanned(JSON.stringify(document, null, indent), sizes);
      t.deepEqual(objects, copy.patrols as unknown[]);
      t.deepEqual(around, { ...copy, patrols: copy.patrols.map(() => 0) });
    }),
  );
});

test('a document that is cut off anywhere is never taken for a whole one', (t) => {
  assert(
    property(documents, double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (document, share) => {
      const text = JSON.stringify(document);
      t.throws(() => scanned(text.slice(0, Math.floor(text.length * share)), [7]));
    }),
  );
});

for (const text of [
  '',
  '{"patrols":[{},]}',
  '{"patrols":[{} {}]}',
  '{"patrols":[{"x":[}]}',
  '{"patrols":[[{}]}',
  '{"patrols":[]} x',
  '{"patrols":[]}}',
])
  test(`${text} is no document`, (t) => {
    t.throws(() => scanned(text, [5]), { instanceOf: SyntaxError });
  });

test('a list of another name, or further inside, is not the list', (t) => {
  const document = { 'a,"patrols': [{}], b: { patrols: [{}] }, patrols: [{ patrols: [{}] }] };
  t.deepEqual(scanned(JSON.stringify(document), [3]).objects, document.patrols as unknown[]);
});

test('more than 64 levels are refused before they are parsed', (t) => {
  const error = t.throws(() => scanned(`{"x":${'['.repeat(70)}`, [5]), { instanceOf: DocumentFault });
  t.regex(error.message, /nests deeper than 64/);
});
