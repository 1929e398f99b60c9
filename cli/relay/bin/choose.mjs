/** Oldest major version of Node that the command runs on. */
const neededMajor = 24;

/**
 * What the launcher looks at.
 * @typedef {object} Surroundings
 * @property {{ platform: string, arch: string, version: string, execPath: string }} host
 * @property {string} name of the program
 * @property {string} [sources] main file of a checkout; a packed installation has none
 * @property {string} bundle main file of a packed installation
 * @property {readonly string[]} flags of Node, for a program with flags of its own
 * @property {Readonly<Record<string, string>>} env variables that are set unless the caller sets them
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
 * In a checkout the sources run, in a packed installation the bundle; both on Node 24 or newer.
 * @param {Surroundings} surroundings
 * @returns {Choice}
 */
export const choose = (surroundings) => {
  const { name, host, sources, bundle, flags, exists, cache } = surroundings;
  const isCheckout = sources !== undefined && exists(sources);
  if (!isCheckout && !exists(bundle))
    return { kind: 'refuse', sentence: `${bundle} is missing; this installation is incomplete, reinstall it` };
  const isNew = Number.parseInt(host.version.replace(/^v/, ''), 10) >= neededMajor;
  if (isNew && !isCheckout && flags.length === 0) return { kind: 'import', cache };
  const command = isNew ? host.execPath : packagedNode(surroundings);
  if (command === undefined)
    return {
      kind: 'refuse',
      sentence:
        `${name} needs Node ${neededMajor} or newer; this is ${host.version}, and none is packaged for ` +
        `${host.platform} on ${host.arch}. Install Node ${neededMajor} and try again.`,
    };
  const main = sources !== undefined && isCheckout ? ['--conditions=@ranger-relay/source', sources] : [bundle];
  return { kind: 'spawn', command, args: [...flags, ...main], env: { NODE_COMPILE_CACHE: cache, ...surroundings.env } };
};
