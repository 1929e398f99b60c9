import test from 'ava';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import { createFailureTracker } from './failure-tracker.ts';

const harness = () => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const trouble = createFailureTracker(clock, log, 'worse', 'better');
  return { clock, trouble, said: () => lines.map(({ msg }) => msg) };
};

test('one line when the first of many fails, one when all are well', (t) => {
  const { trouble, said } = harness();
  for (let i = 0; i < 50; i += 1) {
    trouble.failed('a', 'no');
    trouble.failed('b', 'no');
    trouble.succeeded('a');
  }
  t.deepEqual(said(), ['worse']);
  t.is(trouble.current(), 'no');
  trouble.succeeded('b');
  t.deepEqual(said(), ['worse', 'better']);
  t.is(trouble.current(), null);
});

test('a failure that is not repeated is forgotten after a while, without a word', async (t) => {
  const { clock, trouble, said } = harness();
  trouble.failed('a', 'no');
  await clock.advance(3_499);
  t.is(trouble.current(), 'no');
  await clock.advance(1);
  t.is(trouble.current(), null);
  trouble.failed('a', 'no');
  t.deepEqual(said(), ['worse']);
  trouble.succeeded('a');
  t.deepEqual(said(), ['worse', 'better']);
});
