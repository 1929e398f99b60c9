import { existsSync, readdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { createdAt } from '../images/created.mjs';
import { ascii, http1Only, isPure, lazyBuiltins } from './plugins.mjs';

/** Names of the services that can run alone, sorted. @param {string} root folder of the workspace */
export const serviceNames = (root) =>
  readdirSync(join(root, 'services'))
    .filter((name) => existsSync(join(root, 'services', name, 'src/main.ts')))
    .sort();

/**
 * For a short-lived command line: what is not called is not loaded.
 * @param {string} root folder of the workspace
 * @returns {import('rolldown').InputOptions}
 */
export const shortLived = (root) => ({
  plugins: [lazyBuiltins()],
  treeshake: { moduleSideEffects: (id) => !isPure(root, id) },
});

/**
 * What the operator uses of client-node, in a file of its own beside the programs that load it on demand: in the program it would cost
 * memory at every start. Its parts for exec, copies and port-forwards are left out.
 * @param {string} file where it goes, below the root or absolute
 * @returns {BundleSpec}
 */
export const clientNode = (file) => ({
  input: 'services/operator/src/kube/client-node.ts',
  file,
  options: { treeshake: { moduleSideEffects: (id) => !id.includes('/@kubernetes/client-node/') } },
});

/** @type {import('rolldown').Plugin} */
const besideProgram = {
  name: 'beside-program',
  resolveId: (id, importer) =>
    importer !== undefined && id.endsWith('/client-node.ts') ? { id: './client-node.js', external: true } : null,
};

/**
 * What to bundle, and where to.
 * @typedef {object} BundleSpec
 * @property {string} input source of the program
 * @property {string} file where it goes, below the root or absolute
 * @property {import('rolldown').InputOptions} [options]
 * @property {string} [banner] code that runs first
 */

/**
 * Writes one file per entry: a worker thread must not share chunks whose top level it would run twice. Who runs or packs the file
 * meanwhile finds the one from before.
 * @param {string} root folder of the workspace
 * @param {BundleSpec} spec
 * @returns {Promise<{ moduleIds: readonly string[], bytes: number }>} the modules that went into it, and its length
 * @throws on what the bundler merely warns of
 */
export const writeBundle = async (root, { input, file, options, banner }) => {
  const path = resolve(root, file);
  const made = `${path}.${process.pid}`;
  const build = await rolldown({
    input: resolve(root, input),
    cwd: root,
    platform: 'node',
    resolve: {
      conditionNames: ['@ranger-relay/source', 'node', 'import', 'default'],
      // Its CommonJS form loads its parts through a parameter, which no bundler follows.
      alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    },
    ...options,
    transform: {
      define: { RANGER_RELAY_BUILD_TIME: JSON.stringify(await createdAt(root, process.env)) },
      ...options?.transform,
    },
    plugins: [http1Only(), besideProgram, options?.plugins, ascii()],
    onLog(level, log) {
      if (level === 'warn') throw new Error(`${basename(file)}: ${log.message}`);
    },
  });
  const { output } = await build.write({
    file: made,
    format: 'esm',
    codeSplitting: false,
    comments: false,
    ...(banner && { banner }),
  });
  await build.close();
  await rename(made, path);
  const [{ code, moduleIds }] = output;
  return { moduleIds, bytes: Buffer.byteLength(code) };
};
