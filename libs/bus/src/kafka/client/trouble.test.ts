import test from 'ava';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import { createTrouble } from './trouble.ts';

const world = () => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const trouble = createTrouble(clock, log, 'worse', 'better');
  return { clock, trouble, said: () => lines.map(({ msg }) => msg) };
};

test('one line when the first of many fails, one when all are well', (t) => {
  const { trouble, said } = world();
  for (let i = 0; i < 50; i += 1) {
    trouble.failed('a', 'no');
    trouble.failed('b', 'no');
    trouble.fine('a');
  }
  t.deepEqual(said(), ['worse']);
  t.is(trouble.now(), 'no');
  trouble.fine('b');
  t.deepEqual(said(), ['worse', 'better']);
  t.is(trouble.now(), null);
});

test('a failure that is not repeated is forgotten after a while, without a word', async (t) => {
  const { clock, trouble, said } = world();
  trouble.failed('a', 'no');
  await clock.advance(3_499);
  t.is(trouble.now(), 'no');
  await clock.advance(1);
  t.is(trouble.now(), null);
  trouble.failed('a', 'no');
  t.deepEqual(said(), ['worse']);
  trouble.fine('a');
  t.deepEqual(said(), ['worse', 'better']);
});
