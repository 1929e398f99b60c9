// What a test file of a group imports as `ava`: what the file declares is noted, and declared once the whole group is loaded.
import ava from 'ava';
import { note, takeTurn } from './turns.mjs';

const file = new URL(import.meta.url).searchParams.get('testFile') ?? '';
const root = new URL('../../../', import.meta.url).href;
const name = file
  .replace(root, '')
  .replace(/\.test\.\w+$/, '')
  .split('/')
  .join(' › ');

/** AVA itself runs these apart from all other tests; a hook has no teardown that could end its turn. */
const apart = new Set(['serial', 'before', 'after', 'beforeEach', 'afterEach']);

/**
 * A declaring function of AVA with its modifiers (`serial`, `skip`, `before`), whose calls are noted.
 * @param {any} declare @param {boolean} takesTurn @returns {any}
 */
const noting = (declare, takesTurn) =>
  new Proxy(declare, {
    apply(_target, _self, [title, run, ...more]) {
      if (typeof title === 'function') return note(() => declare(title));
      const inTurn = async (/** @type {any} */ t) => {
        await takeTurn(file, t);
        return run(t, ...more);
      };
      note(() => declare(`${name} › ${title}`, takesTurn ? inTurn : run, ...more));
    },
    get(target, key) {
      const part = target[key];
      return typeof part === 'function' ? noting(part, takesTurn && !apart.has(String(key))) : part;
    },
  });

/** @public hooks.mjs puts it in the place of AVA */
export default noting(ava, true);
