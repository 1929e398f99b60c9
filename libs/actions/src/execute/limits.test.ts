import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { gate, handlers } from '../test/actions.ts';
import { world } from '../test/world.ts';
import { createLimits } from './limits.ts';

const at = (id: string) => ({ integration: { id } });

test('more runs than one integration may have at a time wait, those of others do not', async (t) => {
  const { run, waiting } = gate();
  const w = world(handlers('generic', run), { limits: { total: 10, perIntegration: 2 } });
  w.platform.configs = { work: {} };
  const first = w.start('work', at('a'));
  void w.start('work', at('a'));
  await w.clock.advance(0);
  t.like(await w.run('work', at('a')), { kind: 'busy', retryAfterMs: 5_000 });
  void w.start('work', at('b'));
  await w.clock.advance(0);
  t.is(waiting.length, 3);
  t.deepEqual(w.kinds(), ['Started', 'Started', 'Started']);
  waiting[0]?.resolve(null);
  await w.settled(first);
  void w.start('work', at('a'));
  await w.clock.advance(0);
  t.is(waiting.length, 4);
});

test('more runs than the process may have at a time wait, and their messages are free', async (t) => {
  const w = world(handlers('generic', gate().run), { limits: { total: 1, perIntegration: 1 } });
  w.platform.configs = { work: {} };
  void w.start('work', at('a'));
  await w.clock.advance(0);
  t.is((await w.run('work', { ...at('b'), deliveryId: 'm' })).kind, 'busy');
  t.deepEqual(w.space.entries(), {});
});

testProp(
  'places are never overdrawn and never lost',
  [fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()))],
  (t, steps) => {
    const limits = createLimits({ total: 4, perIntegration: 2 });
    const held: { id: string; free: () => void }[] = [];
    for (const [id, take] of steps) {
      const free = take ? limits.take(id) : undefined;
      if (free) held.push({ id, free });
      else if (!take) held.splice(0, 1).forEach((each) => (each.free(), each.free()));
      t.true(held.length <= 4 && held.filter((each) => each.id === id).length <= 2);
      t.is(limits.running(), held.length);
    }
    for (const { free } of held) free();
    t.is(limits.running(), 0);
  },
);
