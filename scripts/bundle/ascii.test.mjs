import test from 'ava';
import { toAscii } from './plugins.mjs';

const valueOf = (code) => import(`data:text/javascript,${encodeURIComponent(`export default ${code}`)}`);

test('strings, templates and patterns say the same in ASCII', async (t) => {
  const code = '["– ⚠ 🦒", `→ ${1}…`, /^[–—]$/u.test("—"), /^🦒$/u.test("🦒")]';
  t.notRegex(toAscii(code), /[^ -~]/);
  t.deepEqual(await valueOf(toAscii(code)), await valueOf(code));
});
