import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { canonicalJson } from './plan.ts';

const name = fc.oneof(
  fc.string(),
  fc.constantFrom('', 'a', 'b', 'a\0b', 'b\0a', '10', '9', '__proto__', '-1', 'é', '\u{1F600}', '\uFB33'),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 0 }),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(name, tie('json'), { maxKeys: 6 }),
  ),
}));

/** The names of an object's members, as a text has them. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/("(?:[^"\\]|\\.)*"):0[,}]/g)].map(([, quoted = '']) => JSON.parse(quoted) as string);

testProp('it says what JSON says', [json], (t, value) => {
  t.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
});

testProp('members stand in the order of their code units', [fc.uniqueArray(name)], (t, names) => {
  const text = canonicalJson(Object.fromEntries(names.map((each) => [each, 0])));
  t.deepEqual(namesIn(text), names.toSorted());
});

testProp('the order in which members were set makes no difference', [json, fc.uniqueArray(name)], (t, value, names) => {
  const entries = names.map((each): [string, unknown] => [each, value]);
  t.is(canonicalJson(Object.fromEntries(entries)), canonicalJson(Object.fromEntries(entries.toReversed())));
});

testProp('what other objects look like makes no difference', [fc.array(json)], (t, values) => {
  t.is(canonicalJson(values), `[${values.map((value) => canonicalJson(value)).join(',')}]`);
});

test('names that hold what separates names are told from others', (t) => {
  t.is(
    canonicalJson([
      { a: 1, 'b\0c': 2 },
      { 'a\0b': 3, c: 4 },
    ]),
    '[{"a":1,"b\\u0000c":2},{"a\\u0000b":3,"c":4}]',
  );
});

test('undefined members are left out, in a list they are null', (t) => {
  t.is(canonicalJson({ b: undefined, a: [undefined, 1], 1: undefined }), '{"a":[null,1]}');
  t.is(canonicalJson({ b: undefined, a: -0 }), '{"a":0}');
});
