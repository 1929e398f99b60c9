import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { temporaryFolder } from './test/temporary-folder.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** What is published: its folder, what it holds, the oldest Node, and what its help names. */
const packages = [
  {
    name: 'ranger-relay',
    folder: 'cli/relay',
    node: '>=20',
    bundled: 'hono',
    commands: ['up', 'simulate', 'status', 'activity', 'dlq'],
    files: [
      'README.md',
      'bin/child.mjs',
      'bin/choose.mjs',
      'bin/launch.mjs',
      'bin/ranger-relay.mjs',
      'bin/service-process.json',
      'dist/LICENSE.txt',
      'dist/client-node.js',
      'dist/ranger-relay.js',
      'dist/sqlite-worker.js',
      'dist/third-party-licenses.txt',
      'package.json',
    ],
  },
  {
    name: 'sync-tool',
    folder: 'cli/sync-tool',
    node: '>=20',
    bundled: 'commander',
    commands: ['patrol-datamodel', 'apply', 'undo', 'resume', 'verify', 'doctor', 'bundle', 'dev-site', 'completion'],
    files: [
      'README.md',
      'bin/sync-tool.mjs',
      'dist/LICENSE.txt',
      'dist/launch.js',
      'dist/sync-tool.js',
      'dist/third-party-licenses.txt',
      'package.json',
    ],
  },
];

/** Packs a package as it is published and lays it out in a folder of its own. */
const unpacked = async (t, { folder, name }, { version }) => {
  const place = temporaryFolder(t);
  await run('npm', ['pack', '-w', folder, '--pack-destination', place, '--loglevel=error'], { cwd: root });
  await run('tar', ['-xzf', `${name}-${version}.tgz`], { cwd: place });
  return { place, packed: join(place, 'package') };
};

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();

for (const each of packages) {
  const { name, folder, node, files, bundled, commands } = each;
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

  test(`${name} needs nothing at run time but Node itself`, (t) => {
    t.is(manifest.dependencies, undefined);
    t.true(Object.keys(manifest.optionalDependencies ?? {}).every((other) => /^node-[a-z]+-[a-z\d]+$/.test(other)));
    t.deepEqual(manifest.engines, { node });
  });

  test(`the manifest of ${name} has no mistake that its users would meet`, async (t) => {
    const { messages } = await publint({ pkgDir: join(root, folder), pack: false, level: 'warning' });
    t.deepEqual(
      messages.map((message) => formatMessage(message, manifest)),
      [],
    );
  });

  // Packing bundles, and no two may write to one place at a time.
  test.serial(
    `${name} runs by itself when packed, with the licences of what is in it and no sources or tests`,
    async (t) => {
      t.timeout(120_000);
      const { place, packed } = await unpacked(t, each, manifest);
      t.deepEqual(filesOf(packed), files);
      const licences = readFileSync(join(packed, 'dist/third-party-licenses.txt'), 'utf8');
      t.regex(licences, new RegExp(`^${bundled} \\d`, 'm'));
      const { stdout } = await run(process.execPath, [join(packed, `bin/${name}.mjs`), '--help'], { cwd: place });
      for (const command of commands) t.regex(stdout, new RegExp(`^ +${command}\\b`, 'm'));
    },
  );
}
