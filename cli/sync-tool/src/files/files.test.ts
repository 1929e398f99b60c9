import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { call } from '../show/test/call.ts';

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

test('the list has each file with its size and hash, by name; folders, links and the lock are no files of it', async (t) => {
  const path = withFiles(t, { 'b.json': '{}\n', 'a.md': '', '.x.lock': 'host:1 x' });
  mkdirSync(join(path, 'sub'));
  symlinkSync('/etc/passwd', join(path, 'link'));
  const { code, json } = await call('files', 'list', path, '--output', 'json');
  t.is(code, 0);
  const files = json()['files'] as { name: string; bytes: number; sha256: string }[];
  t.deepEqual(
    files.map(({ name, bytes }) => [name, bytes]),
    [
      ['a.md', 0],
      ['b.json', 3],
    ],
  );
  t.is(files[0]?.sha256, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  t.regex((await call('files', 'list', path)).out, /^[0-9a-f]{64} +3 +\S+Z +b\.json$/m);
});

for (const text of ['# List\n\n- [ ] één\n', '{}\n', 'a\r\nb\n', '\n\n', ''])
  test(`a printed file is what it is: ${JSON.stringify(text)}`, async (t) => {
    const { code, out, err } = await call('files', 'print', withFiles(t, { 'list.md': text }), 'list.md');
    t.is(code, 0);
    t.is(text === '' ? out : `${out}\n`, text);
    t.is(err, '');
  });

for (const name of ['nothing.md', '../secret', '/etc/passwd', '.x.lock', 'link'])
  test(`"${name}" is not printed; what is there is named`, async (t) => {
    const path = withFiles(t, { 'list.md': 'x\n', '.x.lock': 'secret' });
    symlinkSync('/etc/passwd', join(path, 'link'));
    const { code, out, err } = await call('files', 'print', path, name);
    t.is(code, 1);
    t.is(out, '');
    t.regex(err, /holds list\.md/);
  });

test('a folder that is not there is named', async (t) => {
  for (const command of ['list', 'pack']) {
    const { code, err } = await call('files', command, '/nowhere');
    t.is(code, 1);
    t.regex(err, /\/nowhere cannot be used/);
  }
});

testProp(
  'what is packed and unpacked again is byte for byte the same',
  [
    fc.dictionary(fc.stringMatching(/^[a-zA-Z0-9é][a-zA-Z0-9é._-]{0,40}$/), fc.uint8Array({ maxLength: 2_000 }), {
      maxKeys: 5,
    }),
  ],
  async (t, files) => {
    const path = withFiles(t, Object.fromEntries(Object.entries(files).map(([n, bytes]) => [n, Buffer.from(bytes)])));
    const { code, out, err } = await call('files', 'pack', path);
    t.is(code, 0, err);
    t.true(out.split('\n').every((line) => line.length <= 76));
    const copy = unpacked(t, out);
    for (const [name, bytes] of Object.entries(files))
      t.deepEqual(readFileSync(join(copy, name)), Buffer.from(bytes), name);
  },
  { numRuns: 12 },
);

test('files of whole blocks and more than one piece are packed whole', async (t) => {
  const big = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 251));
  const path = withFiles(t, { big, block: big.subarray(0, 512), empty: '' });
  const copy = unpacked(t, (await call('files', 'pack', path)).out);
  t.deepEqual(readFileSync(join(copy, 'big')), big);
  t.deepEqual(readFileSync(join(copy, 'block')), big.subarray(0, 512));
  t.is(readFileSync(join(copy, 'empty'), 'utf8'), '');
});

test('a name that the archive cannot hold is refused instead of being cut', async (t) => {
  const { code, err } = await call('files', 'pack', withFiles(t, { ['x'.repeat(120)]: '' }));
  t.is(code, 1);
  t.regex(err, /over 100 bytes/);
});
