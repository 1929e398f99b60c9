import { isFetched, lockedAt, nameOf } from './lock.mjs';

/** @typedef {import('../node-package.mjs').NodePackage} NodePackage @typedef {import('../system.mjs').SystemPackage} SystemPackage */

/**
 * What is in an image, in the words of CycloneDX 1.6.
 * @typedef {object} Component
 * @property {string} type
 * @property {string} [bom-ref]
 * @property {string} [group]
 * @property {string} name
 * @property {string} version
 * @property {string} [description]
 * @property {string} [purl]
 * @property {string} [cpe]
 * @property {{ alg: string, content: string }[]} [hashes]
 * @property {({ license: { id: string } } | { expression: string })[]} [licenses]
 * @property {Component[]} [components]
 */

/** @param {string | undefined} license as a manifest names it */
export const licensesOf = (license) => {
  if (license === undefined) return {};
  return { licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }] };
};

/** @param {string} name */
const split = (name) => {
  const [scope = '', rest] = name.split('/');
  return rest === undefined ? { name } : { group: scope, name: rest };
};

/** @param {string} name @param {string} version */
const npmPurl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;

/** @param {string} integrity like `sha512-…` */
const hashesOf = (integrity) => [
  { alg: 'SHA-512', content: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex') },
];

/**
 * A package in a bundle. One of the workspace has no address: it is published nowhere by itself.
 * @param {import('./lock.mjs').Lock} lock @param {string} key
 * @returns {Component}
 */
export const packageComponent = (lock, key) => {
  const locked = lockedAt(lock, key);
  const { version = '', integrity, license } = locked;
  const name = nameOf(key, locked);
  const purl = isFetched(key) ? npmPurl(name, version) : undefined;
  return {
    type: 'library',
    'bom-ref': purl ?? `own:${key}`,
    ...split(name),
    version,
    ...(integrity?.startsWith('sha512-') && { hashes: hashesOf(integrity) }),
    ...licensesOf(license),
    ...(purl && { purl }),
  };
};

/** Node with what is linked into it. @param {NodePackage} node @param {string} sha256 of the binary as it is in the image @returns {Component} */
export const nodeComponent = ({ name, version, parts }, sha256) => ({
  type: 'platform',
  'bom-ref': `node@${version}`,
  name: 'node',
  version,
  hashes: [{ alg: 'SHA-256', content: sha256 }],
  ...licensesOf('MIT'),
  purl: npmPurl(name, version),
  cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
  components: Object.entries(parts)
    .filter(([, its]) => its !== '')
    .map(([part, its]) => ({ type: 'library', name: part, version: its })),
});

/** A package of the machine. @param {string} distribution like `debian-12` @param {SystemPackage} its @returns {Component} */
export const systemComponent = (distribution, { name, version, architecture }) => {
  const [id = ''] = distribution.split('-');
  const purl = `pkg:deb/${id}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=${distribution}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
};
