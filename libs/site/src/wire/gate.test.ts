import test from 'ava';
import { createGate } from './gate.ts';

test('no more than the limit run at a time, in the order in which they came, and a failure frees its place', async (t) => {
  const gate = createGate(2);
  const ends: (() => void)[] = [];
  const order: number[] = [];
  let [running, most] = [0, 0];
  const tasks = Array.from({ length: 6 }, (_, number) =>
    gate.run(async () => {
      order.push(number);
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      if (number === 1) throw new Error('one fails');
      return number;
    }),
  );
  const settled = Promise.allSettled(tasks);
  for (let ended = 0; ended < tasks.length;) {
    await new Promise((resolve) => setImmediate(resolve));
    for (const end of ends.splice(0)) {
      end();
      ended += 1;
    }
  }
  t.is((await settled).filter(({ status }) => status === 'rejected').length, 1);
  t.deepEqual(order, [0, 1, 2, 3, 4, 5]);
  t.is(most, 2);
});
