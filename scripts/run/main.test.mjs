import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { commands, usage } from './commands.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A workspace of its own with these scripts, the real tools and nothing else. */
const workspace = (t, files = {}) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'scripts'));
  cpSync(join(root, 'scripts/run.mjs'), join(folder, 'scripts/run.mjs'));
  cpSync(join(root, 'scripts/run'), join(folder, 'scripts/run'), {
    recursive: true,
    filter: (f) => !f.includes('.test.'),
  });
  for (const name of ['child.mjs', 'service-process.json'])
    cpSync(join(root, 'cli/relay/bin', name), join(folder, 'cli/relay/bin', name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'package-lock.json'), '{"packages":{}}');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};

const installed = (folder) => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package-lock.json'), readFileSync(join(root, 'package-lock.json')));
  return folder;
};

const run = async (folder, args, env = {}) => {
  const child = spawn(process.execPath, [join(folder, 'scripts/run.mjs'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const [code] = await once(child, 'close');
  return { code, out, err };
};

const avaConfig = `export default { files: ['t/*.test.mjs'] }`;
const tests = (...bodies) =>
  Object.fromEntries(bodies.map((body, i) => [`t/${i}.test.mjs`, `import test from 'ava';\n${body}`]));

test('an unknown command prints the usage and fails', async (t) => {
  const { code, err } = await run(workspace(t), ['constructor']);
  t.is(code, 2);
  t.is(err.trim(), usage());
  for (const name of Object.keys(commands)) t.true(err.includes(name));
});

test('test prints failures readably and the true closing line last', async (t) => {
  const folder = installed(
    workspace(t, {
      'ava.config.mjs': avaConfig,
      ...tests(
        `test('adds', (t) => t.is(1 + 1, 2)); test('differs', (t) => t.is(1, 2, 'one is not two'));`,
        `test('counts', (t) => { t.log('25 cases ran'); t.pass(); }); test.skip('later', (t) => t.pass());`,
      ),
    }),
  );
  const { code, out } = await run(folder, ['test']);
  t.is(code, 1);
  t.regex(out, /✘ .*differs\n[^]*message: one is not two/);
  t.regex(out, /counts: 25 cases ran/);
  t.is(out.trimEnd().split('\n').at(-1), '2 passed, 1 failed, 1 skipped');
});

test('what test files compile is kept for the next of them, where the caller wants it when he says so', async (t) => {
  const told = `test('is told', (t) => { t.log(process.env.NODE_COMPILE_CACHE); t.pass(); });`;
  const folder = installed(workspace(t, { 'ava.config.mjs': avaConfig, ...tests(told) }));
  const { out } = await run(folder, ['test']);
  t.true(out.includes(`is told: ${join(folder, 'node_modules/.cache/ranger-relay/compiled')}`), out);
  const other = await run(folder, ['test'], { NODE_COMPILE_CACHE: join(folder, 'other') });
  t.true(other.out.includes(`is told: ${join(folder, 'other')}`), other.out);
});

test('test succeeds when everything passed, and hands arguments on', async (t) => {
  const folder = installed(
    workspace(t, { 'ava.config.mjs': avaConfig, ...tests(`test('a', (t) => t.pass()); test('b', (t) => t.pass());`) }),
  );
  const whole = await run(folder, ['test']);
  t.deepEqual([whole.code, whole.out], [0, '2 passed, 0 failed\n']);
  t.is((await run(folder, ['test', '--match=a'])).out, '1 passed, 0 failed\n');
});

test('test fails when a file crashes, and when nothing ran', async (t) => {
  const crashing = installed(workspace(t, { 'ava.config.mjs': avaConfig, ...tests(`throw new Error('at import');`) }));
  const crashed = await run(crashing, ['test']);
  t.is(crashed.code, 1);
  t.regex(crashed.out.trimEnd().split('\n').at(-1) ?? '', /^0 passed, [1-9]\d* failed$/);
  const empty = await run(installed(workspace(t, { 'ava.config.mjs': avaConfig })), ['test']);
  t.is(empty.code, 1);
  t.regex(empty.out, /\n?0 passed, 1 failed\n$/);
});

test('relay runs the command line with its arguments and gives back its exit code', async (t) => {
  const main = `console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 5;`;
  const { code, out } = await run(installed(workspace(t, { 'cli/relay/src/main.ts': main })), ['relay', 'up', '--a b']);
  t.deepEqual([code, out], [5, '["up","--a b"]\n']);
});

const fakeNpm = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
if (process.env.FAIL) process.exit(9);
mkdirSync('node_modules', { recursive: true });
writeFileSync('node_modules/.package-lock.json', '{"packages":{}}');
`;

test('the first run installs, says so, and a second at the same time waits for it', async (t) => {
  const folder = workspace(t, { 'npm-cli.js': fakeNpm, 'cli/relay/src/main.ts': `console.log('ran')` });
  const env = { npm_execpath: join(folder, 'npm-cli.js') };
  const runs = await Promise.all([run(folder, ['relay'], env), run(folder, ['relay'], env)]);
  for (const { code, out } of runs) t.deepEqual([code, out], [0, 'ran\n']);
  t.regex(runs.map(({ err }) => err).join(''), /Installing the dependencies first: nothing is installed yet\./);
  t.is(readFileSync(join(folder, 'calls'), 'utf8'), 'ci --ignore-scripts --no-audit --no-fund --loglevel=error\n');
  t.is((await run(folder, ['relay'], env)).err, '');
});

test('a failed installation ends the run with its exit code', async (t) => {
  const folder = workspace(t, { 'npm-cli.js': fakeNpm, 'cli/relay/src/main.ts': `console.log('ran')` });
  const { code, out, err } = await run(folder, ['relay'], { npm_execpath: join(folder, 'npm-cli.js'), FAIL: '1' });
  t.deepEqual([code, out], [9, '']);
  t.regex(err, /The installation failed with exit code 9/);
});
