import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { documents } from './documents.mjs';
import { withSection } from './sections.mjs';

/**
 * Every document with generated sections as it is and as it should be.
 * @param {string} root
 * @returns {Promise<{ file: string, is: string, should: string }[]>}
 */
export const renderDocuments = (root) => {
  const files = [...new Set(documents.map(({ file }) => file))];
  return Promise.all(
    files.map(async (file) => {
      const path = join(root, file);
      const is = readFileSync(path, 'utf8');
      const filled = documents
        .filter((document) => document.file === file)
        .reduce((text, { section, render }) => withSection(text, section, render()), is);
      const should = await format(filled, { ...(await resolveConfig(path)), filepath: path });
      return { file, is, should };
    }),
  );
};

/**
 * The file with all options of sync-tool as it is and as it should be.
 * @param {string} root
 * @returns {Promise<{ file: string, is: string, should: string }>}
 */
export const renderOptions = async (root) => {
  const file = 'cli/sync-tool/options.json';
  const path = join(root, file);
  const call = ['--conditions=@ranger-relay/source', 'cli/sync-tool/src/main.ts', 'completion', 'json'];
  const table = execFileSync(process.execPath, call, { cwd: root, encoding: 'utf8' });
  const should = await format(table, { ...(await resolveConfig(path)), filepath: path });
  return { file, is: readFileSync(path, 'utf8'), should };
};
