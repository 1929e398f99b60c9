import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { packagesOf } from './packages.mjs';

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
  const place = mkdtempSync(join(tmpdir(), 'image-packages-'));
  t.teardown(() => rmSync(place, { recursive: true, force: true }));
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
