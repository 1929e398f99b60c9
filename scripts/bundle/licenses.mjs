import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const marker = `${sep}node_modules${sep}`;

/**
 * Folders of the packages that modules come from, sorted.
 * @param {readonly string[]} moduleIds absolute paths, those of virtual modules are passed over
 * @returns {string[]}
 */
export const packageFolders = (moduleIds) => {
  const folders = moduleIds.flatMap((id) => {
    const at = id.lastIndexOf(marker);
    if (at < 0) return [];
    const parts = id.slice(at + marker.length).split(sep);
    return [id.slice(0, at + marker.length) + parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1).join(sep)];
  });
  return [...new Set(folders)].filter((folder) => existsSync(join(folder, 'package.json'))).sort();
};

/**
 * The notice of one package: name, version, licence and the text it must be handed on with.
 * @param {string} folder
 */
const noticeOf = (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '(the package carries no licence file)';
  return `${name} ${version} (${license})\n\n${text}\n`;
};

/** The notices of all packages in a bundle. @param {readonly string[]} moduleIds */
export const notices = (moduleIds) =>
  packageFolders(moduleIds)
    .map(noticeOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
