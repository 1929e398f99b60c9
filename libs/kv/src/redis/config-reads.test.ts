import test from 'ava';
import { harness } from './test/harness.ts';

test('a read behind a write of the same turn sees it', async (t) => {
  const { kv } = await harness(t);
  await kv.config.set('a', 'one');
  await kv.config.get('a');
  const [, behind] = await Promise.all([kv.config.set('a', 'two'), kv.config.get('a')]);
  t.is(behind, 'two');
  t.is(await kv.config.get('a'), 'two');
});

for (const space of ['state', 'config'] as const)
  test(`each read of the ${space} space asks the server`, async (t) => {
    const { kv, server } = await harness(t);
    for (let n = 0; n < 3; n++) await kv[space].get('a');
    t.is(server.received.length, 3);
  });
