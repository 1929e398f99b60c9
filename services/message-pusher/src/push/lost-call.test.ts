import test from 'ava';
import { bodyOf, imeiA } from '../test/harness.ts';
import { endings, wiredHarness } from '../test/vendor.ts';

for (const [what, ending] of [
  ['hangs', endings.hang],
  ['is reset', endings.reset],
] as const) {
  test(`a call that ${what} is repeated at the next delivery`, async (t) => {
    const { w, vendor, deliver } = await wiredHarness(t, [ending]);
    t.is((await deliver(imeiA)).status, 500);
    t.is(w.entryOf(imeiA)?.state, 'unknown');
    t.is((await deliver(imeiA)).status, 200);
    t.deepEqual(vendor.texts, [imeiA, imeiA]);
  });

  test(`a call that ${what} is held at the next delivery with PUSH_AMBIGUOUS=hold`, async (t) => {
    const { vendor, deliver } = await wiredHarness(t, [ending], { ambiguous: 'hold' });
    t.is((await deliver(imeiA)).status, 500);
    t.deepEqual(bodyOf(await deliver(imeiA)).unknown, [imeiA]);
    t.deepEqual(vendor.texts, [imeiA]);
  });
}
