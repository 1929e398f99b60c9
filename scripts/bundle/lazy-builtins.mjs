import { isBuiltin } from 'node:module';

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
