import { createTarPacker } from 'modern-tar';

/** @typedef {import('./content.mjs').Content} Content */

/**
 * One thing in an archive. Everything else that a tar could tell of it is fixed: it was made in 1970, and has no name of an owner.
 * @typedef {object} Entry
 * @property {string} path without a leading or trailing slash
 * @property {number} mode permission bits
 * @property {number} [owner] number of user and group; 0 when not given
 * @property {Content} [content] a folder has none
 */

/** @param {Entry} entry @returns {import('modern-tar').TarHeader} */
const headerOf = ({ path, mode, owner = 0, content }) => ({
  name: content ? path : `${path}/`,
  type: content ? 'file' : 'directory',
  size: content?.size ?? 0,
  mode,
  uid: owner,
  gid: owner,
  mtime: new Date(0),
});

/** @param {string} a @param {string} b */
const byBytes = (a, b) => (a < b ? -1 : Number(a > b));

/** In one order, whatever order they came in. @param {readonly Entry[]} entries @throws when two have one path */
const sorted = (entries) => {
  const all = entries.toSorted((a, b) => byBytes(a.path, b.path));
  for (const [index, { path }] of all.entries())
    if (path === all[index + 1]?.path) throw new Error(`${path} would be in the archive twice`);
  return all;
};

/**
 * A tar of these entries: the same entries give the same bytes.
 * @param {readonly Entry[]} entries
 * @returns {ReadableStream<Uint8Array>} fails when a content is not as long as it said
 * @throws when a path comes twice
 */
export const tarOf = (entries) => {
  const all = sorted(entries);
  const { readable, controller } = createTarPacker();
  const pack = async () => {
    for (const entry of all)
      await ReadableStream.from(entry.content?.read() ?? []).pipeTo(controller.add(headerOf(entry)));
    controller.finalize();
  };
  pack().catch((error) => controller.error(error));
  return readable;
};

/** The entries with the folders that they lie in, which belong to root. @param {readonly Entry[]} entries @returns {Entry[]} */
export const withFolders = (entries) => {
  const present = new Set(entries.map(({ path }) => path));
  /** @type {Entry[]} */
  const folders = [];
  for (const { path } of entries)
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (!present.has(folder)) folders.push({ path: folder, mode: 0o755 });
      present.add(folder);
    }
  return [...folders, ...entries];
};
