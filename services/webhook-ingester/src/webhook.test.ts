import { seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { traceparentOf } from './webhook.ts';

const good = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

test('a well-formed context passes on unchanged', (t) => {
  t.is(traceparentOf(good, seededRandom(1)), good);
});

for (const bad of [
  undefined,
  '',
  good.toUpperCase(),
  good.slice(0, -1),
  `${good}-x`,
  good.replace('00-', '01-'),
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
])
  test(`${JSON.stringify(bad)} is replaced by a new context`, (t) => {
    const random = seededRandom(1);
    const first = traceparentOf(bad, random);
    t.regex(first, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    t.not(traceparentOf(bad, random), first);
  });
