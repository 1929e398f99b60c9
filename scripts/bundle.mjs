// Bundles what runs by itself: node scripts/bundle.mjs [name…], all of it when none is named
import { existsSync } from 'node:fs';
import { copyFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { isPure, lazyBuiltins } from './bundle/lazy-builtins.mjs';
import { notices } from './bundle/licenses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * A short-lived command line on older versions of Node: what is not called is not loaded.
 * @type {import('rolldown').InputOptions}
 */
const lazy = {
  plugins: [lazyBuiltins()],
  treeshake: { moduleSideEffects: (id) => !isPure(root, id) },
  transform: { target: 'node20' },
};

/**
 * One file per entry: a worker thread must not share chunks whose top level it would run twice.
 * Returns the modules that went into it.
 */
const bundle = async (
  /** @type {string} */ input,
  /** @type {string} */ file,
  /** @type {import('rolldown').InputOptions} */ more = {},
) => {
  const path = join(root, file);
  await rm(path, { force: true });
  const build = await rolldown({
    input: join(root, input),
    cwd: root,
    platform: 'node',
    resolve: { conditionNames: ['@ranger-relay/source', 'node', 'import', 'default'] },
    ...more,
    onLog(level, log) {
      if (level === 'warn') throw new Error(`${file}: ${log.message}`);
    },
  });
  const { output } = await build.write({ file: path, format: 'esm', codeSplitting: false });
  await build.close();
  const [{ code, moduleIds }] = output;
  process.stdout.write(`${basename(file)} ${(code.length / 1024).toFixed(0)} kB\n`);
  return moduleIds;
};

/** The licences of what went into a package, and our own, beside it. */
const license = async (/** @type {string} */ folder, /** @type {readonly string[]} */ modules) => {
  await writeFile(join(root, folder, 'third-party-licenses.txt'), notices([...modules]));
  await copyFile(join(root, 'LICENSE'), join(root, folder, 'LICENSE.txt'));
};

const relay = async () =>
  license('cli/relay/dist', [
    ...(await bundle('cli/relay/src/main.ts', 'cli/relay/dist/ranger-relay.js')),
    ...(await bundle('libs/sqlite/src/sqlite-worker.ts', 'cli/relay/dist/sqlite-worker.js')),
  ]);

const syncTool = async () =>
  license('cli/sync-tool/dist', await bundle('cli/sync-tool/src/main.ts', 'cli/sync-tool/dist/sync-tool.js', lazy));

const service = (/** @type {string} */ name) => async () => {
  await bundle(`services/${name}/src/main.ts`, `services/${name}/dist/${name}.js`);
};

/** @type {Readonly<Record<string, () => Promise<void>>>} */
const parts = {
  relay,
  'sync-tool': syncTool,
  ...Object.fromEntries(
    (await readdir(join(root, 'services')))
      .filter((name) => existsSync(join(root, 'services', name, 'src/main.ts')))
      .map((name) => [name, service(name)]),
  ),
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no ${name}; there are ${Object.keys(parts).join(', ')}`);
  await part();
}
