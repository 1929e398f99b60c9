import { readFileSync } from 'node:fs';

const service = JSON.parse(readFileSync(new URL('service-process.json', import.meta.url), 'utf8'));

/** Oldest major version of Node that the command runs on. */
const neededMajor = 24;

/**
 * What the launcher looks at.
 * @typedef {object} Surroundings
 * @property {{ platform: string, arch: string, version: string, execPath: string }} host
 * @property {string} sources main file of a checkout; a packed installation has none
 * @property {string} bundle main file of a packed installation
 * @property {string | undefined} command the first argument of the call
 * @property {(file: string) => boolean} exists
 * @property {(id: string) => string} resolve throws when the package is not installed
 * @property {string} cache folder of the user for compiled code; whoever can write to it decides what runs
 */

/**
 * What the launcher does.
 * @typedef {{ kind: 'import', cache: string }
 *   | { kind: 'spawn', command: string, args: readonly string[], env: Readonly<Record<string, string>> }
 *   | { kind: 'refuse', sentence: string }} Choice
 */

/** @param {Surroundings} surroundings @returns {string | undefined} */
const packagedNode = ({ host, resolve }) => {
  try {
    return resolve(`node-${host.platform}-${host.arch}/bin/node`);
  } catch {
    return undefined;
  }
};

/**
 * In a checkout the sources run, in a packed installation the bundle; both on Node 24 or newer, `up` with flags of its own.
 * @param {Surroundings} surroundings
 * @returns {Choice}
 */
export const choose = (surroundings) => {
  const { host, sources, bundle, command: wanted, exists, cache } = surroundings;
  const isCheckout = exists(sources);
  if (!isCheckout && !exists(bundle))
    return { kind: 'refuse', sentence: `${bundle} is missing; this installation is incomplete, reinstall it` };
  const isNew = Number.parseInt(host.version.replace(/^v/, ''), 10) >= neededMajor;
  const isService = wanted === 'up';
  const flags = isService ? service.flags : [];
  if (isNew && !isCheckout && flags.length === 0) return { kind: 'import', cache };
  const command = isNew ? host.execPath : packagedNode(surroundings);
  if (command === undefined)
    return {
      kind: 'refuse',
      sentence:
        `ranger-relay needs Node ${neededMajor} or newer; this is ${host.version}, and none is packaged for ` +
        `${host.platform} on ${host.arch}. Install Node ${neededMajor} and try again.`,
    };
  const main = isCheckout ? ['--conditions=@ranger-relay/source', sources] : [bundle];
  const env = { NODE_COMPILE_CACHE: cache, ...(isService && service.env) };
  return { kind: 'spawn', command, args: [...flags, ...main], env };
};
