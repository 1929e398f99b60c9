import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createRefusals } from './refusals.ts';

test('a process whose work moved away holds nothing once another one saw an item accepted', async (t) => {
  const clock = manualClock();
  const { conditions } = testContext({ clock });
  const refusals = createRefusals(memorySpace(clock), { clock, conditions });
  for (let n = 0; n < 21; n += 1) await refusals.mayGiveUp('a', 'observation');
  t.is(refusals.held(), 1);
  await clock.advance(1_000);
  const at = clock.now();
  conditions.learn([
    [{ name: 'refusals_held', subject: 'a', active: false, since: at, lastAt: at, count: 0, details: {} }],
  ]);
  t.is(refusals.held(), 0);
});
