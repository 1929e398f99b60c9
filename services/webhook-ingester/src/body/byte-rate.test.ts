import { fc, testProp } from '@fast-check/ava';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createByteRate } from './byte-rate.ts';

test('what an integration brings over its bytes of a minute is refused, until the next one', async (t) => {
  const clock = manualClock();
  const rate = createByteRate(100, clock);
  t.true(rate.take('a', 60));
  t.false(rate.take('a', 41));
  t.true(rate.take('a', 40));
  t.true(rate.take('b', 100));
  await clock.advance(59_999);
  t.false(rate.take('a', 1));
  await clock.advance(1);
  t.true(rate.take('a', 100));
});

testProp(
  'no integration gets more than its bytes in any minute of the clock',
  [fc.array(fc.record({ id: fc.constantFrom('a', 'b'), bytes: fc.nat(80), pause: fc.nat(20_000) }), { maxLength: 60 })],
  async (t, bodies) => {
    const clock = manualClock();
    const rate = createByteRate(100, clock);
    const passed = new Map<string, number>();
    for (const { id, bytes, pause } of bodies) {
      const minute = `${id} ${Math.floor(clock.monotonic() / 60_000)}`;
      if (rate.take(id, bytes)) passed.set(minute, (passed.get(minute) ?? 0) + bytes);
      await clock.advance(pause);
    }
    t.true([...passed.values()].every((sum) => sum <= 200));
  },
);
