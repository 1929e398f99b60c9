/** @typedef {import('./content.mjs').Content} Content */

/**
 * One thing in an archive. Everything else that a tar could tell of it is fixed: it was made in 1970, and has no name of an owner.
 * @typedef {object} Entry
 * @property {string} path without a leading or trailing slash
 * @property {number} mode permission bits
 * @property {number} [owner] number of user and group; 0 when not given
 * @property {Content} [content] a folder has none
 */

const block = 512;
const maxNameLength = 100;
const maxPrefixLength = 155;

/** @param {number} value @param {number} width */
const octal = (value, width) => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** A path as the two fields that hold it. @param {string} path @throws when they cannot */
const namesOf = (path) => {
  if (!/^[\x20-\x7e]+$/.test(path))
    throw new Error(`${JSON.stringify(path)} cannot be archived: it is not plain ASCII`);
  if (path.length <= maxNameLength) return { name: path, prefix: '' };
  const at = path.indexOf('/', path.length - maxNameLength - 1);
  if (at < 0 || at > maxPrefixLength || at === path.length - 1)
    throw new Error(`${path} cannot be archived: it is too long`);
  return { name: path.slice(at + 1), prefix: path.slice(0, at) };
};

/** @param {Entry} entry @returns {Buffer} */
const headerOf = ({ path, mode, owner = 0, content }) => {
  const { name, prefix } = namesOf(content ? path : `${path}/`);
  const header = Buffer.alloc(block);
  header.write(name, 0, 'latin1');
  header.write(octal(mode, 8), 100);
  header.write(octal(owner, 8), 108);
  header.write(octal(owner, 8), 116);
  header.write(octal(content?.size ?? 0, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write(content ? '0' : '5', 156);
  header.write('ustar\x0000', 257);
  header.write(prefix, 345, 'latin1');
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
};

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
 * A tar (ustar) of these entries: the same entries give the same bytes.
 * @param {readonly Entry[]} entries
 * @returns {AsyncGenerator<Uint8Array>}
 * @throws when a path does not fit, comes twice, or a content is not as long as it said
 */
export async function* tarOf(entries) {
  for (const entry of sorted(entries)) {
    yield headerOf(entry);
    const { path, content } = entry;
    if (content === undefined) continue;
    let length = 0;
    for await (const chunk of content.read()) {
      length += chunk.length;
      yield chunk;
    }
    if (length !== content.size) throw new Error(`${path} has ${length} bytes and said ${content.size}`);
    yield Buffer.alloc((block - (length % block)) % block);
  }
  yield Buffer.alloc(2 * block);
}

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
