import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { oncePerHour } from './index.ts';
import { memorySpace } from './testing/index.ts';

test('the first call with the same parts within an hour is let through, those with others by themselves', async (t) => {
  const clock = manualClock();
  const space = memorySpace(clock);
  t.true(await oncePerHour(space, 'a', 'b'));
  t.false(await oncePerHour(space, 'a', 'b'));
  t.true(await oncePerHour(space, 'a.b'));
  await clock.advance(3_600_000);
  t.true(await oncePerHour(space, 'a', 'b'));
});
