import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { baseFiles } from './base-files.mjs';

const made = async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'image-base-'));
  t.teardown(() => rmSync(place, { recursive: true, force: true }));
  const library = join(place, 'libx.so.1');
  writeFileSync(library, 'code', { mode: 0o600 });
  const entries = baseFiles({
    libraries: [library],
    packages: [{ name: 'libx1', version: '1', architecture: 'amd64', status: 'Package: libx1\n', copyright: '' }],
    roots: ['-----BEGIN CERTIFICATE-----\nA', '-----BEGIN CERTIFICATE-----\nB\n'],
    osRelease: 'PRETTY_NAME="X 12"\nID=x\nVERSION_ID="12"\nHOME_URL="https://x.example/"\n',
  });
  const textOf = async (path) => {
    const { content } = entries.find((entry) => entry.path === path);
    return text(content.read());
  };
  return { entries, textOf, library };
};

test('libraries lie where the program looks for them, readable and runnable by all', async (t) => {
  const { entries, textOf, library } = await made(t);
  const { mode } = entries.find(({ path }) => path === library.slice(1));
  t.is(mode, 0o755);
  t.is(await textOf(library.slice(1)), 'code');
});

test('there are two users, root who cannot log in and the one that programs run as', async (t) => {
  const { textOf } = await made(t);
  t.is(
    await textOf('etc/passwd'),
    'root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n',
  );
  t.is(await textOf('etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
});

test('one may write to /tmp, which keeps others’ files apart, and to /data, which is the program’s alone', async (t) => {
  const { entries } = await made(t);
  const folders = entries.filter(({ content }) => content === undefined);
  t.deepEqual(folders, [
    { path: 'tmp', mode: 0o1777 },
    { path: 'data', mode: 0o700, owner: 65_532 },
  ]);
  for (const { path, mode, owner } of entries.filter(({ content }) => content))
    t.deepEqual([owner, mode & 0o7022], [undefined, 0], path);
});

test('the authorities are those that were given, each a certificate of its own', async (t) => {
  const { textOf } = await made(t);
  t.is(
    await textOf('etc/ssl/certs/ca-certificates.crt'),
    '-----BEGIN CERTIFICATE-----\nA\n-----BEGIN CERTIFICATE-----\nB\n',
  );
});

test('scanners find the distribution and the packages', async (t) => {
  const { textOf } = await made(t);
  t.is(await textOf('etc/os-release'), 'PRETTY_NAME="X 12"\nID=x\nVERSION_ID="12"\n');
  t.is(await textOf('var/lib/dpkg/status.d/libx1'), 'Package: libx1\n');
});
