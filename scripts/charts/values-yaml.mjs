import { stringify } from 'yaml';

/** @typedef {import('./entry.mjs').Entry} Entry */
/** @typedef {{ entry?: Entry, children: Map<string, Node> }} Node */

/** @param {readonly Entry[]} entries @returns {Node} */
const treeOf = (entries) => {
  /** @type {Node} */
  const root = { children: new Map() };
  for (const entry of entries) {
    let node = root;
    for (const key of entry.path.split('.')) {
      const next = node.children.get(key) ?? { children: new Map() };
      node.children.set(key, next);
      node = next;
    }
    node.entry = entry;
  }
  return root;
};

/** Whether values.yaml itself gives something below: what may be global has its default in the templates. @param {Node} node @returns {boolean} */
const isGiven = ({ entry, children }) =>
  entry ? !entry.global && entry.default !== undefined : [...children.values()].some(isGiven);

/** @param {string} key @param {unknown} value @param {string} indent */
const lines = (key, value, indent) =>
  stringify({ [key]: value }, { singleQuote: true, lineWidth: 0, flowCollectionPadding: true })
    .trimEnd()
    .split('\n')
    .map((line) => indent + line);

/** As a comment that uncommenting turns into what it says. @param {readonly string[]} text @param {string} indent */
const commented = (text, indent) => text.map((line) => `${indent}# ${line.slice(indent.length)}`);

/** @param {Entry} entry @param {string} key @param {string} indent */
const entryLines = ({ about, default: value, global }, key, indent) => {
  const text = value === undefined ? [`${indent}${key}:`] : lines(key, value, indent);
  return [`${indent}## ${about}`, ...(global || value === undefined ? commented(text, indent) : text)];
};

/** @param {string} key @param {Node} child @param {string} indent @returns {string[]} */
const childLines = (key, child, indent) => {
  if (child.entry) return entryLines(child.entry, key, indent);
  const inner = nodeLines(child, `${indent}  `);
  if (isGiven(child)) return [`${indent}${key}:`, ...inner];
  return [indent === '' ? `${key}: {}` : `${indent}# ${key}:`, ...inner];
};

/** @param {Node} node @param {string} indent @returns {string[]} */
const nodeLines = (node, indent) =>
  [...node.children].flatMap(([key, child]) => {
    const inner = childLines(key, child, indent);
    return indent === '' ? ['', inner].flat() : inner;
  });

/**
 * The text of values.yaml: each value with its purpose; what is a comment is the default and may also stand under `global`, or has none.
 * @param {readonly Entry[]} entries
 */
export const valuesYaml = (entries) =>
  [
    '# Written by npm run charts; change scripts/charts/specs instead.',
    '# Values in comments are the defaults; those of image, kafka, redis, platform and their like may also stand under global.',
    ...nodeLines(treeOf(entries), ''),
    '',
  ].join('\n');
