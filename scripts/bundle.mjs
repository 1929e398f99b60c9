// Bundles what runs by itself: node scripts/bundle.mjs [name…], all of it when none is named
import { copyFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notices } from './bundle/licenses.mjs';
import { clientNode, serviceNames, shortLived, writeBundle } from './bundle/write-bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Bundles and tells the size; returns the modules that went into it. @param {import('./bundle/write-bundle.mjs').BundleSpec} spec */
const bundle = async (spec) => {
  const { moduleIds, bytes } = await writeBundle(root, spec);
  process.stdout.write(`${basename(spec.file)} ${(bytes / 1024).toFixed(0)} kB\n`);
  return moduleIds;
};

/** The licences of what went into a package, and our own, beside it. */
const license = async (/** @type {string} */ folder, /** @type {readonly string[]} */ modules) => {
  const put = async (/** @type {string} */ name, /** @type {(to: string) => Promise<void>} */ write) => {
    const path = join(root, folder, name);
    await write(`${path}.${process.pid}`);
    await rename(`${path}.${process.pid}`, path);
  };
  await put('third-party-licenses.txt', (to) => writeFile(to, notices([...modules])));
  await put('LICENSE.txt', (to) => copyFile(join(root, 'LICENSE'), to));
};

const relay = async () =>
  license('cli/relay/dist', [
    ...(await bundle({ input: 'cli/relay/src/main.ts', file: 'cli/relay/dist/ranger-relay.js' })),
    ...(await bundle({ input: 'libs/sqlite/src/sqlite-worker.ts', file: 'cli/relay/dist/sqlite-worker.js' })),
    ...(await bundle(clientNode('cli/relay/dist/client-node.js'))),
  ]);

/** On an older Node the one file says so, before anything of it runs. */
const needsNode24 = `if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write('sync-tool needs Node 24 or newer; this is ' + process.version + '. Its package brings one: npx sync-tool.\\n');
  process.exit(1);
}`;

const syncTool = async () => {
  await bundle({ input: 'cli/relay/bin/launch.mjs', file: 'cli/sync-tool/dist/launch.js' });
  await license(
    'cli/sync-tool/dist',
    await bundle({
      input: 'cli/sync-tool/src/main.ts',
      file: 'cli/sync-tool/dist/sync-tool.js',
      options: shortLived(root),
      banner: needsNode24,
    }),
  );
};

const service = (/** @type {string} */ name) => async () => {
  await bundle({ input: `services/${name}/src/main.ts`, file: `services/${name}/dist/${name}.service.js` });
  await bundle({ input: 'cli/relay/bin/service-entry.mjs', file: `services/${name}/dist/${name}.js` });
  if (name === 'operator') await bundle(clientNode('services/operator/dist/client-node.js'));
};

/** @type {Readonly<Record<string, () => Promise<void>>>} */
const parts = {
  relay,
  'sync-tool': syncTool,
  ...Object.fromEntries(serviceNames(root).map((name) => [name, service(name)])),
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no ${name}; there are ${Object.keys(parts).join(', ')}`);
  await part();
}
