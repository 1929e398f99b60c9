import test from 'ava';
import { integration, world } from '../test/world.ts';

test('a person who has looked at the refusals lets more of them become dead letters', async (t) => {
  const { run, kv } = await world(t);
  const { code, out } = await run('allow', integration, '--count', '1000');
  t.is(code, 0);
  t.is(await kv.state.get(`refusals.${integration}.observation`), '-980');
  t.regex(out, /1.000 items of .* may become dead letters in a row/);
  t.is((await run('allow', integration, '--count', '0')).code, 2);
});
