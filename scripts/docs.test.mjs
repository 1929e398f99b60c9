import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { webhookDefaults } from '@ranger-relay/device';
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

/** Words for programs that the operator gives its conditions, as its sources write them. */
const reasons = () => {
  const folder = join(root, 'services/operator/src');
  const files = ['decide', 'jobs', 'reconcile'].flatMap((part) =>
    readdirSync(join(folder, part)).map((name) => join(folder, part, name)),
  );
  const call = /(?:\b(?:stalled|working|settled|approval|ask)\(\s*(?:[\w.]+,\s*)?|\breason: )'([A-Z]\w+)'/g;
  return new Set(
    files
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(call)].map(([, reason]) => reason)),
  );
};

const kindPages = ['patrolsync', 'patrolsyncrollback'].map((name) =>
  readFileSync(join(root, `docs/${name}.md`), 'utf8'),
);

test('every reason of a condition has its row in the page of a kind, and none is left over', (t) => {
  const rows = kindPages.flatMap((text) => [...text.matchAll(/^\| `([A-Z]\w+)` +\|/gm)].map(([, name]) => name));
  const conditions = new Set(['Ready', 'Reconciling', 'Planned', 'ApprovalRequired', 'Stalled']);
  t.true(reasons().size > 25);
  t.deepEqual(
    [...new Set(rows)].filter((name) => !conditions.has(name)).sort(),
    [...reasons()].filter((name) => !conditions.has(name)).sort(),
  );
});

test('the page of a kind has an example, its fields, how to work with it, its conditions and how to debug', (t) => {
  for (const text of kindPages)
    t.deepEqual(
      [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title),
      ['Example', 'Working with it', 'Fields', 'Status', 'Conditions', 'Debugging'],
    );
});

/** All documents of the repository, as paths from its root. */
const documents = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.md') && !/(?:^|\/)(?:node_modules|dist|\.turbo)\//.test(name),
);

const read = (name) => readFileSync(join(root, name), 'utf8');

/** The anchors of a document, as GitHub makes them from its headings: equal headings are numbered. */
const anchorsOf = (name) => {
  const text = read(name).replaceAll(/^```.*?^```/gms, '');
  const seen = new Map();
  const headings = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, title]) => {
    const plain = title.replaceAll(/\]\([^)]*\)/g, '').toLowerCase();
    const slug = plain
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)]);
};

test('links of the documents lead to a file and a heading, and the README or the architecture links the documents', (t) => {
  const linking = ['README.md', 'ARCHITECTURE.md'].map(read).join('');
  let anchors = 0;
  t.true(documents.length > 40);
  for (const name of documents) {
    for (const [, target, anchor] of read(name).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const file = target === '' ? name : join(name, '..', target);
      t.true(existsSync(join(root, file)), `${name}: ${target}`);
      if (anchor === undefined || !file.endsWith('.md')) continue;
      anchors += 1;
      t.true(anchorsOf(file).has(anchor), `${name}: ${target}#${anchor}`);
    }
    if (/^docs\/([^/]+|.*\/README\.md)$/.test(name)) t.true(linking.includes(`](${name}`), name);
  }
  t.true(anchors > 20);
});

test('the README fits 200 lines, a decision 30, and each decision has the same parts and its link', (t) => {
  t.true(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length <= 201);
  const folder = join(root, 'docs/decisions');
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const name of readdirSync(folder).filter((each) => each !== 'README.md')) {
    const text = readFileSync(join(folder, name), 'utf8');
    t.true(text.split('\n').length <= 31, name);
    const titles = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    t.deepEqual(titles, ['Problem', 'Decision', 'Measurement', 'Consequences'], name);
    t.true(index.includes(`](${name})`), name);
  }
});

test('the README names every code that becomes a message by default', (t) => {
  const [, codes = ''] =
    /`message_codes` lists .*\(default: ([^)]*)\)/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  for (const code of webhookDefaults.message_codes) t.regex(codes, new RegExp(`\\b${code}\\b`));
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

test('every file that the architecture names is there', (t) => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const names = [
    ...text.matchAll(/`((?:libs|services|cli|e2e|scripts|charts|k8s|docs)\/[\w./-]+\.(?:ts|mjs|md))`/g),
  ].map(([, name]) => name);
  t.true(names.length > 12);
  t.deepEqual(
    names.filter((name) => !existsSync(join(root, name))),
    [],
  );
});
