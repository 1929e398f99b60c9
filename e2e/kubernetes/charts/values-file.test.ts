import test from 'ava';
import { nest, readValuesFile, valueAt } from './values-file.ts';

const text = `## About the file

## One
a:
  # x: 1

b:
  ## Two
  c: [1, 2]
  ## Three
  l:
    # - 3
  d: text

## Three
e:
  f: null
  g:
    h: true
i:
  # j: 1
k: {}
  # l: 1
`;

const file = readValuesFile(text);

test('leaves are scalars, lists and empty maps, with their values', (t) => {
  const values = file.leaves.map(({ path, value }) => [path.join('.'), value]);
  t.deepEqual(values, [
    ['a', null],
    ['b.c', [1, 2]],
    ['b.l', null],
    ['b.d', 'text'],
    ['e.f', null],
    ['e.g.h', true],
    ['i', null],
    ['k', {}],
  ]);
  t.deepEqual(
    file.blocks.map((path) => path.join('.')),
    ['b', 'e', 'e.g'],
  );
});

test('a value is described above itself, or with a block that is described as a whole', (t) => {
  const without = file.leaves.filter(({ described }) => !described);
  t.deepEqual(
    without.map(({ path }) => path.join('.')),
    ['b.d', 'i', 'k'],
  );
});

test('an example sets what it says at its place', (t) => {
  t.deepEqual(
    file.examples.slice(0, 3).map(({ values }) => values),
    [{ a: { x: 1 } }, { b: { l: [3] } }, { i: { j: 1 } }],
  );
  t.true(file.examples.slice(0, 3).every(({ problem }) => problem === undefined));
});

test('an example that is no YAML where it stands is reported with its line', (t) => {
  const [broken] = file.examples.slice(3);
  t.is(broken?.line, 23);
  t.truthy(broken?.problem);
  t.regex(readValuesFile('a: 1\n# only words\n').examples[0]?.problem ?? '', /neither `key: value`/);
});

test('values are found and set by paths', (t) => {
  t.deepEqual(nest(['a', 'b.c'], 1), { a: { 'b.c': 1 } });
  t.is(valueAt({ a: { b: 1 } }, ['a', 'b']), 1);
  t.is(valueAt({ a: null }, ['a', 'b']), undefined);
});
