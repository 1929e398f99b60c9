import { memoryKv } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createNames } from './names.ts';

test('a name is known as soon as the cache has it, and stays known when the cache loses it', async (t) => {
  const clock = manualClock();
  const { config } = memoryKv(clock);
  const namesOf = createNames(config, clock);
  const name = async () => (await namesOf(['a'])).get('a');
  t.is(await name(), null);
  await config.set('integration.a', JSON.stringify({ value: { name: 'Park a' } }));
  t.is(await name(), 'Park a');
  await config.delete('integration.a');
  await clock.advance(120_000);
  t.is(await name(), 'Park a');
  await config.set('integration.a', JSON.stringify({ value: { name: 'North park' } }));
  await clock.advance(120_000);
  t.is(await name(), 'North park');
});
