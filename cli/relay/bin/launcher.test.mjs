import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const bin = fileURLToPath(new URL('.', import.meta.url));

/** A package with the launcher and these files. */
const pack = (t, files) => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-launcher-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(bin, join(folder, 'bin'), { recursive: true, filter: (file) => !file.includes('.test.') });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, 'bin/ranger-relay.mjs');
};

const cacheOf = (launcher) => join(launcher, '../../cache');

const start = (t, launcher, args = []) => {
  const child = spawn(process.execPath, [launcher, ...args], {
    env: { ...process.env, NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cacheOf(launcher) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout.on('data', (text) => (output.out += text));
  child.stderr.on('data', (text) => (output.err += text));
  return { child, output, closed: once(child, 'close') };
};

const report = `console.log(process.argv.slice(2).join('|')); process.exitCode = 3;`;

test('a packed installation runs the bundle with its arguments and exit code', async (t) => {
  const { output, closed } = start(t, pack(t, { 'dist/ranger-relay.js': report }), ['status', '--output', 'json']);
  t.deepEqual(await closed, [3, null]);
  t.is(output.out, 'status|--output|json\n');
});

test('a checkout runs the sources with their arguments and exit code', async (t) => {
  const sources = { 'src/main.ts': `const exit: number = 4; ${report} process.exitCode = exit;` };
  const { output, closed } = start(t, pack(t, sources), ['up', 'a b']);
  t.deepEqual(await closed, [4, null]);
  t.is(output.out, 'up|a b\n');
});

test('compiled code is kept in a folder of the user, and a folder that cannot be written changes nothing', async (t) => {
  for (const files of [{ 'dist/ranger-relay.js': report }, { 'src/main.ts': report }]) {
    const kept = pack(t, files);
    t.deepEqual(await start(t, kept).closed, [3, null]);
    t.true(existsSync(join(cacheOf(kept), 'ranger-relay')));
    const refused = pack(t, files);
    writeFileSync(cacheOf(refused), 'a file, no folder');
    const { output, closed } = start(t, refused);
    t.deepEqual(await closed, [3, null]);
    t.is(output.err, '');
  }
});

test('an incomplete installation says so and fails', async (t) => {
  const { output, closed } = start(t, pack(t, {}));
  t.deepEqual(await closed, [1, null]);
  t.regex(output.err, /dist\/ranger-relay\.js is missing; .*reinstall it/);
});

const waiting = `
  process.on('SIGTERM', () => { console.log('terminated'); setTimeout(() => process.exit(6), 50); });
  process.on('disconnect', () => { console.log('alone'); process.exit(0); });
  console.log('ready'); setInterval(() => {}, 1000);`;

test('signals reach the command, and the launcher waits until it has finished', async (t) => {
  const { child, output, closed } = start(t, pack(t, { 'src/main.ts': waiting }));
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  t.deepEqual(await closed, [6, null]);
  t.is(output.out, 'ready\nterminated\n');
});

test('the command learns by the channel that the launcher was killed', async (t) => {
  const { child, output, closed } = start(t, pack(t, { 'src/main.ts': waiting }));
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await closed;
  t.is(output.out, 'ready\nalone\n');
});
