// What a test file of a group imports as `ava`: what the file declares is noted, and declared once the whole group is loaded.
import ava from 'ava';
import { inTurn, note } from './turns.mjs';

const file = new URL(import.meta.url).searchParams.get('testFile') ?? '';
const root = new URL('../../../', import.meta.url).href;
const name = file
  .replace(root, '')
  .replace(/\.test\.\w+$/, '')
  .split('/')
  .join(' › ');

/**
 * A declaring function of AVA with its modifiers (`serial`, `skip`, `before`), whose calls are noted.
 * @param {any} declare @param {boolean} isSerial @returns {any}
 */
const noting = (declare, isSerial) =>
  new Proxy(declare, {
    apply(_target, _self, [title, run, ...more]) {
      if (typeof title === 'function') return note(() => declare(title));
      const implementation = isSerial ? run : (/** @type {any} */ t) => inTurn(file, () => run(t, ...more));
      note(() => declare(`${name} › ${title}`, implementation, ...more));
    },
    get(target, key) {
      const part = target[key];
      return typeof part === 'function' ? noting(part, isSerial || key === 'serial') : part;
    },
  });

/** @public hooks.mjs puts it in the place of AVA */
export default noting(ava, false);
