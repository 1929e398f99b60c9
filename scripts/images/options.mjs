import { parseArgs } from 'node:util';
import { archOf } from './node-package.mjs';

export const usage = `Usage: npm run images -- [options]

Makes the container images as archives, without a daemon or a registry.

  --only NAME   one image alone: ranger-relay or sync-tool
  --out DIR     where the archives and images.json go; dist/images when not given
  --arch ARCH   x64 (amd64) or arm64; the machine's own when not given
  --stage DIR   lays out what the Dockerfile copies instead of making archives
  --help        prints this`;

/**
 * @typedef {object} Options
 * @property {string | undefined} only
 * @property {string} out
 * @property {import('./node-package.mjs').Arch} arch
 * @property {string | undefined} stage
 * @property {boolean} help
 */

/**
 * Reads the arguments of a call.
 * @param {readonly string[]} argv
 * @param {{ names: readonly string[], arch: string }} known names of the images and the machine's architecture
 * @returns {Options}
 * @throws with a sentence for a person
 */
export const parseOptions = (argv, { names, arch: own }) => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string' },
      out: { type: 'string', default: 'dist/images' },
      arch: { type: 'string', default: own },
      stage: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const arch = archOf(values.arch);
  if (arch === undefined) throw new Error(`--arch is ${values.arch}; there are x64 (amd64) and arm64`);
  if (values.only !== undefined && !names.includes(values.only))
    throw new Error(`--only is ${values.only}; there are ${names.join(' and ')}`);
  return { ...values, only: values.only, stage: values.stage, arch };
};
