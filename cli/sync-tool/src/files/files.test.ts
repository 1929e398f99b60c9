import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { call } from '../show/test/call.ts';
import { checklist, plan } from './test/content.ts';

const folder = (t: ExecutionContext): string => {
  const path = mkdtempSync(join(tmpdir(), 'sync-tool-files-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

const withFiles = (t: ExecutionContext, files: Readonly<Record<string, string | Buffer>>): string => {
  const path = folder(t);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
};

/** Unpacks what was printed with the machine's own tar. */
const unpacked = (t: ExecutionContext, out: string): string => {
  const path = folder(t);
  execFileSync('tar', ['-xzf', '-', '-C', path], { input: Buffer.from(out, 'base64') });
  return path;
};

/** A name that a run gives to a file, by number. */
const nameOf = (number: number): string => `patrol-datamodel-run-${20260101 + number}T000000Z.journal.jsonl`;

/** What else lies in the folder of a run: the token, notes, a summary. */
const others = {
  'token.txt': 'secret',
  '.env': 'SITE_TOKEN=secret',
  'notes.md': '# Mine\n',
  'end.json': '{"format":"x"}',
};

test('the list has each file that runs write with its size and hash, by name, and no other', async (t) => {
  const path = withFiles(t, {
    ...others,
    [nameOf(0)]: '',
    'todo.txt': checklist,
    'p.json': plan,
    '.x.lock': 'host:1 x',
  });
  mkdirSync(join(path, 'patrol-datamodel-undo-20260101T000000Z.json'));
  symlinkSync('/etc/passwd', join(path, nameOf(1)));
  const { code, json } = await call('files', 'list', path, '--output', 'json');
  t.is(code, 0);
  const files = json()['files'] as { name: string; bytes: number; sha256: string }[];
  t.deepEqual(
    files.map(({ name, bytes }) => [name, bytes]),
    [
      ['p.json', plan.length],
      [nameOf(0), 0],
      ['todo.txt', checklist.length],
    ],
  );
  t.is(files[1]?.sha256, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  t.regex((await call('files', 'list', path)).out, /^[0-9a-f]{64} +\d+ +\S+Z +p\.json$/m);
});

for (const text of ['# List\n\n- [ ] één\n', '{}\n', 'a\r\nb\n', '\n\n', ''])
  test(`a printed file is what it is: ${JSON.stringify(text)}`, async (t) => {
    const { code, out, err } = await call('files', 'print', withFiles(t, { [nameOf(0)]: text }), nameOf(0));
    t.is(code, 0);
    t.is(text === '' ? out : `${out}\n`, text);
    t.is(err, '');
  });

for (const name of ['nothing.md', '../secret', '/etc/passwd', '.x.lock', 'token.txt', nameOf(1)])
  test(`"${name}" is not printed; what is there is named`, async (t) => {
    const path = withFiles(t, { ...others, 'list.md': checklist, '.x.lock': 'secret' });
    symlinkSync('/etc/passwd', join(path, nameOf(1)));
    const { code, out, err } = await call('files', 'print', path, name);
    t.is(code, 1);
    t.is(out, '');
    t.regex(err, /holds list\.md$/m);
  });

test('a folder that is not there is named', async (t) => {
  for (const command of ['list', 'pack']) {
    const { code, err } = await call('files', command, '/nowhere');
    t.is(code, 1);
    t.regex(err, /\/nowhere cannot be used/);
  }
});

testProp(
  'what is packed and unpacked again is byte for byte the same, and nothing else is packed',
  [fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 5 })],
  async (t, contents) => {
    const files = Object.fromEntries(contents.map((bytes, number) => [nameOf(number), Buffer.from(bytes)]));
    const { code, out, err } = await call('files', 'pack', withFiles(t, { ...others, ...files }));
    t.is(code, 0, err);
    t.true(out.split('\n').every((line) => line.length <= 76));
    const copy = unpacked(t, out);
    t.deepEqual(readdirSync(copy).toSorted(), Object.keys(files).toSorted());
    for (const [name, bytes] of Object.entries(files)) t.deepEqual(readFileSync(join(copy, name)), bytes, name);
  },
  { numRuns: 12 },
);

test('files of whole blocks and more than one piece are packed whole', async (t) => {
  const big = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 251));
  const path = withFiles(t, { [nameOf(0)]: big, [nameOf(1)]: big.subarray(0, 512), [nameOf(2)]: '' });
  const copy = unpacked(t, (await call('files', 'pack', path)).out);
  t.deepEqual(readFileSync(join(copy, nameOf(0))), big);
  t.deepEqual(readFileSync(join(copy, nameOf(1))), big.subarray(0, 512));
  t.is(readFileSync(join(copy, nameOf(2)), 'utf8'), '');
});

test('a name that the archive cannot hold is refused instead of being cut', async (t) => {
  const { code, err } = await call('files', 'pack', withFiles(t, { ['x'.repeat(120)]: checklist }));
  t.is(code, 1);
  t.regex(err, /over 100 bytes/);
});
