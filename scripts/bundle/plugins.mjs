import { isBuiltin } from 'node:module';

/**
 * What is not ASCII, escaped: V8 keeps a whole source in two bytes a character for the sake of a single one that needs them.
 * @param {string} code
 */
export const toAscii = (code) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** @returns {import('rolldown').Plugin} */
export const ascii = () => ({ name: 'ascii', renderChunk: toAscii });

const wrapper = 'http2-wrapper';
const stub = `\0${wrapper}`;

/** What a library finds where it looks for HTTP/2: enough to load, and a plain error if it ever asked for a connection. */
const code = `export default {
  auto() {
    throw new Error('this program speaks HTTP/1.1 alone');
  },
};`;

/**
 * Leaves HTTP/2 out: no request of ours asks for it, but the client's wrapper makes a TLS socket as soon as it is loaded, which costs every
 * program more of its start than anything else in there.
 * @returns {import('rolldown').Plugin}
 */
export const http1Only = () => ({
  name: 'http1-only',
  resolveId: (id) => (id === wrapper ? stub : null),
  load: (id) => (id === stub ? code : null),
});

const mark = '\0lazy:';

/**
 * Loads what comes with Node when the module that imports it is first used. An `import` in the one file of a bundle would load all of it at the
 * start, network and cryptography included, whatever is called.
 * @returns {import('rolldown').Plugin}
 */
export const lazyBuiltins = () => ({
  name: 'lazy-builtins',
  resolveId(id, importer, { kind }) {
    // The bundler's own runtime needs `node:module` before anything can be required.
    const isOwn = importer?.startsWith('\0') ?? false;
    return isBuiltin(id) && kind !== 'require-call' && !isOwn ? `${mark}${id}` : null;
  },
  load(id) {
    return id.startsWith(mark) ? `module.exports = require(${JSON.stringify(id.slice(mark.length))});` : null;
  },
});

/**
 * Says that importing a source of ours does nothing but define (ARCHITECTURE.md), entries apart: a barrel then brings only what is taken from it.
 * @param {string} root @param {string} id path of the source
 */
export const isPure = (root, id) =>
  id.startsWith(root) && /^(cli|libs)\/[^/]+\/src\//.test(id.slice(root.length)) && !id.endsWith('/main.ts');
