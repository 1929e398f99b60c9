import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/**
 * A generated file as it is (empty when it does not exist) and as it should be.
 * @typedef {{ file: string, is: string, should: string }} Generated
 */

/**
 * Formats the new text of a generated file as the tree formats files of its kind.
 * @param {string} root of the tree
 * @param {string} file below `root`
 * @param {string | ((is: string) => string)} text made of the present one where it is a function
 * @returns {Promise<Generated>}
 */
export const generatedFile = async (root, file, text) => {
  const path = join(root, file);
  const is = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const raw = typeof text === 'function' ? text(is) : text;
  return { file, is, should: await format(raw, { ...(await resolveConfig(path)), filepath: path }) };
};

/** Writes the generated files that are not up to date, and says of each what it was. @param {string} root @param {readonly Generated[]} files */
export const writeGenerated = (root, files) => {
  for (const { file, is, should } of files) {
    if (is !== should) writeFileSync(join(root, file), should);
    process.stdout.write(`${file} ${is === should ? 'is up to date' : 'written'}\n`);
  }
};
