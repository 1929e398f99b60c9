// Bundles the command line with the store's worker thread, and each service: node scripts/bundle.mjs [main.ts worker.ts out-folder]
import { copyFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { notices } from './bundle/licenses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [
  main = join(root, 'cli/relay/src/main.ts'),
  worker = join(root, 'libs/sqlite/src/sqlite-worker.ts'),
  out = join(root, 'cli/relay/dist'),
] = process.argv.slice(2);

/**
 * One file per entry: a worker thread must not share chunks whose top level it would run twice.
 * Returns the modules that went into it.
 */
const bundle = async (
  /** @type {string} */ input,
  /** @type {string} */ name,
  folder = out,
  /** @type {string | undefined} */ target = undefined,
) => {
  const file = join(folder, name);
  await rm(file, { force: true });
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    resolve: { conditionNames: ['@ranger-relay/source', 'node', 'import', 'default'] },
    ...(target === undefined ? {} : { transform: { target } }),
    onLog(level, log) {
      if (level === 'warn') throw new Error(`${name}: ${log.message}`);
    },
  });
  const { output } = await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  const [{ code, moduleIds }] = output;
  process.stdout.write(`${name} ${(code.length / 1024).toFixed(0)} kB\n`);
  return moduleIds;
};

/** The licences of what went into a bundle, and our own, beside it. */
const license = async (/** @type {string} */ folder, /** @type {readonly string[]} */ modules) => {
  await writeFile(join(folder, 'third-party-licenses.txt'), notices([...modules]));
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE.txt'));
};

const modules = [...(await bundle(main, 'ranger-relay.js')), ...(await bundle(worker, 'sqlite-worker.js'))];
await license(out, modules);

if (process.argv.length <= 2) {
  const sync = join(root, 'cli/sync-tool');
  await license(
    join(sync, 'dist'),
    await bundle(join(sync, 'src/main.ts'), 'sync-tool.js', join(sync, 'dist'), 'node20'),
  );
  for (const service of await readdir(join(root, 'services'))) {
    const folder = join(root, 'services', service);
    await bundle(join(folder, 'src/main.ts'), `${service}.js`, join(folder, 'dist'));
  }
}
