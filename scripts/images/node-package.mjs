import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { neededMajor } from '../run/node24.mjs';
import { run, tryRun } from './run.mjs';

/** How Node calls an architecture, and how images do. */
const architectures = /** @type {const} */ ({ x64: 'amd64', arm64: 'arm64' });

/** @typedef {keyof typeof architectures} Arch */

/** @param {string} arch by Node's name @returns {'amd64' | 'arm64'} */
export const platformOf = (arch) => architectures[/** @type {Arch} */ (arch)];

/** The Node of an architecture by either of its names. @param {string} name @returns {Arch | undefined} */
export const archOf = (name) =>
  /** @type {Arch[]} */ (Object.keys(architectures)).find((arch) => arch === name || architectures[arch] === name);

/**
 * The pinned Node that goes into the images.
 * @typedef {object} NodePackage
 * @property {string} name of the package
 * @property {string} version
 * @property {string} binary path
 * @property {string} license text
 * @property {Readonly<Record<string, string>>} parts versions of what is linked into it
 * @property {readonly string[]} roots certificates of the authorities that it trusts, PEM
 */

const facts = `JSON.stringify({ parts: process.versions, roots: require('node:tls').rootCertificates })`;

/**
 * Reads the package of Node that is installed for an architecture.
 * @param {string} root folder of the workspace
 * @param {Arch} arch
 * @param {{ platform: string, arch: string }} host
 * @returns {Promise<NodePackage>}
 * @throws when the machine is of another kind or the package is not installed, with what to do
 */
export const readNodePackage = async (root, arch, host = process) => {
  if (host.platform !== 'linux' || host.arch !== arch)
    throw new Error(
      `images for ${arch} take the C library of the machine, and this one is ${host.platform} on ${host.arch}; ` +
        `run this on Linux on ${arch}, or build images/Dockerfile with --platform linux/${platformOf(arch)}`,
    );
  const name = `node-linux-${arch}`;
  const folder = join(root, 'node_modules', name);
  const binary = join(folder, 'bin/node');
  if (!existsSync(binary))
    throw new Error(`${name} is not installed, and the images take Node from it; run npm ci without --omit=optional`);
  const { parts, roots } = JSON.parse(await run(binary, ['-p', facts]));
  const { node: version, ...linked } = parts;
  if (Number.parseInt(version, 10) < neededMajor)
    throw new Error(`${name} is Node ${version}; ${neededMajor} is needed`);
  return { name, version, binary, license: readFileSync(join(folder, 'LICENSE'), 'utf8'), parts: linked, roots };
};

/**
 * Writes a program without its symbols. The same `strip` gives the same bytes.
 * @param {string} binary @param {string} out
 * @param {{ run: typeof run, tryRun: typeof tryRun }} tools of the machine
 * @returns {Promise<string>} the name and version of the tool, to be written down beside the hash
 * @throws when the machine has no `strip`
 */
export const stripTo = async (binary, out, tools = { run, tryRun }) => {
  const version = (await tools.tryRun('strip', ['--version']))?.split('\n')[0];
  if (version === undefined)
    throw new Error('strip is not installed, and with its symbols Node alone nearly fills an image; install binutils');
  await tools.run('strip', ['--strip-all', '-o', out, binary]);
  return version;
};
