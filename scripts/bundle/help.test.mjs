import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { serviceNames, writeBundle } from './write-bundle.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const versionOf = (node) => {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};

/** The Node of this process, and an older one of this machine. */
const nodes = () => {
  const others = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const older = others.find((node) => /^v2[0-3]\./.test(versionOf(node) ?? ''));
  return [process.execPath, ...(older === undefined ? [] : [older])];
};

/** Bundles the services as `npm run bundle` does, into a folder from which the packaged Node is found. */
const bundleServices = async (t) => {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const folder = temporaryFolder(t, join(root, 'node_modules/.cache'));
  for (const name of serviceNames(root)) {
    await writeBundle(root, { input: `services/${name}/src/main.ts`, file: join(folder, `${name}.service.js`) });
    await writeBundle(root, { input: 'cli/relay/bin/service-entry.mjs', file: join(folder, `${name}.js`) });
  }
  return folder;
};

test('every program lists with --help what it takes and ends with 0, on each Node of this machine', async (t) => {
  t.timeout(240_000);
  const folder = await bundleServices(t);
  const programs = [
    ...serviceNames(root).map((name) => ({ file: join(folder, `${name}.js`), args: [], names: /^ {2}PORT$/m })),
    { file: join(root, 'cli/relay/bin/ranger-relay.mjs'), args: [], names: /^ {2}doctor /m },
    { file: join(root, 'cli/relay/bin/ranger-relay.mjs'), args: ['up'], names: /^ {2}STATUS_PORT$/m },
  ];
  for (const node of nodes())
    for (const { file, args, names } of programs) {
      const { stdout, stderr } = await run(node, [file, ...args, '--help'], { env: { PATH: process.env['PATH'] } });
      t.is(stderr, '', `${node} ${file}`);
      t.regex(stdout, names, `${node} ${file}`);
    }
});
