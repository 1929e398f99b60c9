import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = readFileSync(join(root, 'docs/guarantees.md'), 'utf8');
const entry = /^ {2}- `(?<file>[^`]+)`(?: › (?<title>.+))?$/;

/** The source of a file of tests as its names are read; undefined when there is none. @param {string} file */
const sourceOf = (file) => {
  const path = ['.test.ts', '.e2e.ts'].map((ending) => join(root, file + ending)).find(existsSync);
  return path && readFileSync(path, 'utf8').replaceAll("\\'", "'").replaceAll('\\`', '`');
};

/** A name as far as it stands in the source: without the row that is meant, and without what is cut off. @param {string} title */
const wordsOf = (title) =>
  title
    .replaceAll('\\', '')
    .replace(/ ?«.*?»/g, '')
    .split('…')[0]
    ?.trim() ?? '';

const entries = document
  .split('\n')
  .filter((line) => line.startsWith('  - `'))
  .map((line) => {
    const { file, title = '' } = entry.exec(line)?.groups ?? {};
    return { line, file, title };
  });

test('every test that is said to hold a guarantee is there', (t) => {
  t.true(entries.length > 500);
  const missing = entries.filter(({ file, title }) => !(file && sourceOf(file)?.includes(wordsOf(title))));
  t.deepEqual(
    missing.map(({ line }) => line.trim()),
    [],
  );
});

test('every fact has a test, or says why it has none', (t) => {
  const blocks = document.split(/^- /m).slice(1);
  t.true(blocks.length > 400);
  t.deepEqual(
    blocks.filter((block) => !/\n {2}- (?:`|no test: |as in )/.test(block)).map((block) => block.split('\n')[0]),
    [],
  );
});
