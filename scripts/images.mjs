// Makes the container images without a daemon or a registry: node scripts/images.mjs --help
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imageDefinitions } from './images/definitions.mjs';
import { gatherNode, gatherSystem } from './images/ingredients.mjs';
import { layOut } from './images/lay-out.mjs';
import { makeImage, sharedLayers, writeList } from './images/make.mjs';
import { parseOptions, usage } from './images/options.mjs';

/** @typedef {import('./images/options.mjs').Options} Options @typedef {import('./images/definitions.mjs').ImageDefinition} ImageDefinition */

const root = dirname(fileURLToPath(new URL('.', import.meta.url)));

const say = (/** @type {string} */ line) => {
  process.stdout.write(`${line}\n`);
};

/** @type {(definitions: readonly ImageDefinition[], options: Options) => Promise<void>} */
const makeArchives = async (definitions, { arch, out: place }) => {
  const out = resolve(place);
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(join(out, '.making-'));
  try {
    const node = await gatherNode(root, { arch, folder: work, env: process.env });
    const making = { ...node, ...(await gatherSystem(node.binary)), arch, work, out, say };
    const shared = await sharedLayers(making);
    const made = [];
    for (const definition of definitions) made.push(await makeImage(making, definition, shared));
    await writeList(out, made);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
};

/** @param {readonly string[]} argv */
const main = async (argv) => {
  const all = imageDefinitions(root);
  const options = parseOptions(argv, { names: all.map(({ name }) => name), arch: process.arch });
  const wanted = all.filter(({ name }) => options.only === undefined || name === options.only);
  const { help, stage, arch } = options;
  if (help) say(usage);
  else if (stage !== undefined) await layOut(root, wanted, { arch, folder: resolve(stage), env: process.env, say });
  else await makeArchives(wanted, options);
};

await main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
