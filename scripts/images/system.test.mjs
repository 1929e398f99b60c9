import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { cachedLibraries, librariesIn, packagesOf, stageSystem } from './system.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

test('each library that is found is named as the program looks for it, the loader too', (t) => {
  const text = [
    '\tlinux-vdso.so.1 (0x00007f775108d000)',
    '\tlibdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f7751077000)',
    '\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f7750b3e000)',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f775108f000)',
    '',
  ].join('\n');
  t.deepEqual(librariesIn(text), [
    '/lib/x86_64-linux-gnu/libdl.so.2',
    '/lib/x86_64-linux-gnu/libc.so.6',
    '/lib64/ld-linux-x86-64.so.2',
  ]);
});

test('a library that the machine lacks is refused by its name', (t) => {
  t.throws(() => librariesIn('\tlibatomic.so.1 => not found\n'), { message: /no libatomic\.so\.1.*install it/ });
});

test('of libraries that are loaded by name later, those that there are are taken, the first of each', (t) => {
  const text = [
    "3 libs found in cache `/etc/ld.so.cache'",
    '\tlibresolv.so.2 (libc6,x86-64) => /lib/x86_64-linux-gnu/libresolv.so.2',
    '\tlibresolv.so.2 (libc6) => /lib/i386-linux-gnu/libresolv.so.2',
    '\tlibnss_dns.so.20 (libc6,x86-64) => /lib/other',
  ].join('\n');
  t.deepEqual(cachedLibraries(text, ['libnss_dns.so.2', 'libresolv.so.2']), ['/lib/x86_64-linux-gnu/libresolv.so.2']);
});

const status = (name, version) =>
  `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: ${version}\n`;

/** A package manager that knows these files and packages. */
const manager =
  (files, packages) =>
  (command, [option, name]) => {
    if (option === '-S') return Promise.resolve(files[name] && `${files[name]}: ${name}\n`);
    return Promise.resolve(packages[name]);
  };

const library = (t) => {
  const place = temporaryFolder(t);
  const real = join(place, 'libx.so.1.2');
  writeFileSync(real, '');
  const link = join(place, 'libx.so.1');
  symlinkSync(real, link);
  return { real, link };
};

test('a package is found by the file that a link leads to, and named once for all of its files', async (t) => {
  const { real, link } = library(t);
  const ask = manager({ [real]: 'libx1:amd64' }, { 'libx1:amd64': status('libx1', '1:1.2+deb1') });
  const [found, ...more] = await packagesOf([link, real], ask);
  t.deepEqual(more, []);
  t.like(found, { name: 'libx1', version: '1:1.2+deb1', architecture: 'amd64' });
  t.regex(found.copyright, /holds no copyright file/);
});

test('packages come in one order, whatever order their files have', async (t) => {
  const [one, two] = [library(t), library(t)];
  const ask = manager({ [one.real]: 'b', [two.real]: 'a' }, { a: status('a', '1'), b: status('b', '2') });
  t.deepEqual(
    (await packagesOf([one.real, two.real], ask)).map(({ name }) => name),
    ['a', 'b'],
  );
});

test('a file that belongs to no package is refused: nobody could tell its version or its licence', async (t) => {
  const { real } = library(t);
  await t.throwsAsync(packagesOf([real], manager({}, {})), { message: /belongs to no package.*images\/Dockerfile/ });
  await t.throwsAsync(
    packagesOf([real], () => Promise.resolve()),
    { message: /belongs to no package/ },
  );
});

/** Lays out a system with one library; reads what is in it. */
const staged = async (t) => {
  const { real } = library(t);
  const folder = temporaryFolder(t);
  writeFileSync(real, 'code', { mode: 0o600 });
  const system = {
    libraries: [real],
    packages: [{ name: 'libx1', version: '1', architecture: 'amd64', status: 'Package: libx1\n', copyright: '' }],
    osRelease: 'PRETTY_NAME="X 12"\nID=x\nVERSION_ID="12"\nHOME_URL="https://x.example/"\n',
  };
  await stageSystem(folder, system, ['-----BEGIN CERTIFICATE-----\nA', '-----BEGIN CERTIFICATE-----\nB\n']);
  const textOf = (path) => readFileSync(join(folder, path), 'utf8');
  const modeOf = (path) => statSync(join(folder, path)).mode & 0o7777;
  return { textOf, modeOf, library: real };
};

test('libraries lie where the program looks for them, readable and runnable by all', async (t) => {
  const { textOf, modeOf, library } = await staged(t);
  t.is(modeOf(library), 0o755);
  t.is(textOf(library), 'code');
});

test('there are two users, root who cannot log in and the one that programs run as', async (t) => {
  const { textOf } = await staged(t);
  t.is(textOf('etc/passwd'), 'root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n');
  t.is(textOf('etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
});

test('all may write to /tmp, which keeps others’ files apart', async (t) => {
  const { modeOf } = await staged(t);
  t.is(modeOf('tmp'), 0o1777);
});

test('the authorities are those that were given, each a certificate of its own', async (t) => {
  const { textOf } = await staged(t);
  t.is(textOf('etc/ssl/certs/ca-certificates.crt'), '-----BEGIN CERTIFICATE-----\nA\n-----BEGIN CERTIFICATE-----\nB\n');
});

test('scanners find the distribution and the packages', async (t) => {
  const { textOf } = await staged(t);
  t.is(textOf('etc/os-release'), 'PRETTY_NAME="X 12"\nID=x\nVERSION_ID="12"\n');
  t.is(textOf('var/lib/dpkg/status.d/libx1'), 'Package: libx1\n');
});
