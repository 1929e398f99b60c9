import { tryRun } from './run.mjs';

/** @param {number} seconds since 1970 */
const isoOf = (seconds) => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');

/**
 * The time that goes into the images: SOURCE_DATE_EPOCH, else that of the commit, else 1970. Never the present, which no second build would meet again.
 * @param {string} root folder of the workspace
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} ISO time
 * @throws when the variable is no number of seconds
 */
export const createdAt = async (root, env) => {
  const given = env.SOURCE_DATE_EPOCH;
  if (given !== undefined && given !== '') {
    if (!/^\d{1,11}$/.test(given))
      throw new Error(`SOURCE_DATE_EPOCH is ${JSON.stringify(given)}; it must be a number of seconds since 1970`);
    return isoOf(Number(given));
  }
  return isoOf(Number((await tryRun('git', ['-C', root, 'log', '-1', '--format=%ct']))?.trim() || 0));
};
