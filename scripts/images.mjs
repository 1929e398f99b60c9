// Makes the container images without a daemon or a registry: node scripts/images.mjs --help
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imageDefinitions } from './images/definitions.mjs';
import { makeArchives } from './images/make.mjs';
import { parseOptions, usage } from './images/options.mjs';
import { stage } from './images/stage.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));

const say = (/** @type {string} */ line) => {
  process.stdout.write(`${line}\n`);
};

/** @param {readonly string[]} argv */
const main = async (argv) => {
  const all = imageDefinitions(root);
  const options = parseOptions(argv, { names: all.map(({ name }) => name), arch: process.arch });
  const { help, only, out, stage: folder, arch } = options;
  if (help) return say(usage);
  // Modes of what is laid out are those in the images.
  process.umask(0o022);
  const wanted = all.filter(({ name }) => only === undefined || name === only);
  const how = { arch, env: process.env, say };
  if (folder === undefined) return makeArchives(root, wanted, { ...how, out: resolve(out) });
  await stage(root, wanted, { ...how, folder: resolve(folder), hasBase: true });
};

await main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
