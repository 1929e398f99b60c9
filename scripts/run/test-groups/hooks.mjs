// Gives each test file of a group an `ava` of its own, also beneath @fast-check/ava.
import { registerHooks } from 'node:module';

const wrapper = new URL('./ava.mjs', import.meta.url).href;
const declaring = new Set(['ava', '@fast-check/ava']);

/** The test file for which a module was loaded. @param {string} url */
const testFileOf = (url) =>
  new URL(url).searchParams.get('testFile') ?? (/\.test\.(ts|mjs)$/.test(url) ? url : undefined);

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    const file = declaring.has(specifier) && !parentURL.startsWith(wrapper) ? testFileOf(parentURL) : undefined;
    if (file === undefined) return next(specifier, context);
    const url = specifier === 'ava' ? wrapper : next(specifier, context).url;
    return { url: `${url}?testFile=${encodeURIComponent(file)}`, format: 'module', shortCircuit: true };
  },
});
