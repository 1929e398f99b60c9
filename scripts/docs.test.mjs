import { fileURLToPath } from 'node:url';
import { registry } from '@ranger-relay/errors';
import test from 'ava';
import { renderDocuments } from './docs/render.mjs';
import { table, withSection } from './docs/sections.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const rendered = await renderDocuments(root);

for (const { file, is, should } of rendered) {
  test(`the generated sections of ${file} are up to date (npm run docs writes them)`, (t) => {
    t.is(is, should);
  });
}

test('every error code has its place in the document, with the names of its details, and none is left over', (t) => {
  const text = rendered.find(({ file }) => file === 'libs/errors/README.md')?.is ?? '';
  const anchors = [...text.matchAll(/<a id="(\w+)"><\/a>/g)].map(([, code]) => code);
  t.deepEqual(anchors, Object.keys(registry));
  for (const [code, { text: says }] of Object.entries(registry)) {
    const row = text.split('\n').find((line) => line.includes(`<a id="${code}">`)) ?? '';
    for (const [, name] of says.matchAll(/\{(\w+)\}/g)) t.true(row.includes(`_${name}_`), `${code} ${name}`);
  }
});

test('a section is replaced between its markers, and nothing else', (t) => {
  const before = 'a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb\n';
  const after = 'a\n<!-- generated: x -->\n\nnew $& $1\n\n<!-- end: x -->\nb\n';
  t.is(withSection(before, 'x', 'new $& $1\n'), after);
  t.is(withSection(after, 'x', 'new $& $1'), after);
});

test('a document without the markers, or with them twice or turned round, is refused', (t) => {
  const [start, end] = ['<!-- generated: x -->', '<!-- end: x -->'];
  for (const document of ['', start, end, end + start, start + end + start + end, start + end + end])
    t.throws(() => withSection(document, 'x', 'new'), { message: /once each/ }, document);
});

test('cells cannot break out of their table', (t) => {
  t.is(table(['a', 'b'], [['x|y', 'two\nlines']]), '| a | b |\n| --- | --- |\n| x\\|y | two lines |');
});
