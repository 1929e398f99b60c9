import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'cli/relay');
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const run = promisify(execFile);

test('the package needs nothing at run time but Node itself', (t) => {
  t.is(manifest.dependencies, undefined);
  t.true(Object.keys(manifest.optionalDependencies).every((name) => /^node-[a-z]+-[a-z\d]+$/.test(name)));
  t.deepEqual(manifest.engines, { node: '>=20' });
});

test('the package’s manifest has no mistake that its users would meet', async (t) => {
  const { messages } = await publint({ pkgDir: folder, pack: false, level: 'warning' });
  t.deepEqual(
    messages.map((message) => formatMessage(message, manifest)),
    [],
  );
});

test('the packed command runs by itself, with the licences of what is in it and no sources or tests', async (t) => {
  t.timeout(120_000);
  const place = mkdtempSync(join(tmpdir(), 'relay-pack-'));
  t.teardown(() => rmSync(place, { recursive: true, force: true }));
  await run('npm', ['pack', '-w', 'cli/relay', '--pack-destination', place, '--loglevel=error'], { cwd: root });
  await run('tar', ['-xzf', `ranger-relay-${manifest.version}.tgz`], { cwd: place });
  const packed = join(place, 'package');
  const files = readdirSync(packed, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(packed, name)).isFile());
  t.deepEqual(files.toSorted(), [
    'bin/ancestors.mjs',
    'bin/child.mjs',
    'bin/choose.mjs',
    'bin/ranger-relay.mjs',
    'dist/LICENSE.txt',
    'dist/ranger-relay.js',
    'dist/sqlite-worker.js',
    'dist/third-party-licenses.txt',
    'package.json',
  ]);
  t.regex(readFileSync(join(packed, 'dist/third-party-licenses.txt'), 'utf8'), /^hono \d/m);
  const { stdout } = await run(process.execPath, [join(packed, 'bin/ranger-relay.mjs'), '--help'], { cwd: place });
  for (const command of ['up', 'simulate', 'status', 'activity', 'dlq'])
    t.regex(stdout, new RegExp(`^ +${command}\\b`, 'm'));
});
