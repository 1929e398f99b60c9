import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { scratch } from '../test/harness.ts';
import { openOutbox } from './outbox.ts';

const command = fc.oneof(
  fc.record({ put: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ done: fc.integer({ min: 1, max: 4 }) }),
  fc.constant({ reopen: true } as const),
);

testProp(
  'an outbox is a queue that a restart does not change',
  [fc.array(command, { minLength: 1, maxLength: 40, size: 'max' })],
  (t, commands) => {
    const path = join(scratch(t), 'outbox');
    let outbox = openOutbox(path);
    let model: number[] = [];
    let made = 0;
    for (const step of commands) {
      if ('put' in step) {
        const fresh = Array.from({ length: step.put }, () => (made += 1));
        outbox.put(fresh.map((n) => ({ at: 0, event: n })));
        model.push(...fresh);
      } else if ('done' in step) {
        const count = Math.min(step.done, model.length);
        if (count > 0) outbox.done(count);
        model = model.slice(count);
      } else {
        outbox.close();
        outbox = openOutbox(path);
      }
      t.deepEqual(
        outbox.next(1_000).map(({ event }) => event),
        model,
      );
      t.is(outbox.size, model.length);
    }
    outbox.close();
  },
  { numRuns: 50 },
);

test('opening the file again drops what is through from it', (t) => {
  const path = join(scratch(t), 'outbox');
  const outbox = openOutbox(path);
  outbox.put(Array.from({ length: 1_000 }, (_, n) => ({ at: 0, event: n })));
  outbox.done(999);
  outbox.close();
  openOutbox(path).close();
  t.is(readFileSync(path, 'utf8').split('\n').length, 2);
});

test('a long queue is emptied without keeping what is through', (t) => {
  const outbox = openOutbox();
  outbox.put(Array.from({ length: 50_000 }, (_, n) => ({ at: 0, event: n })));
  for (let n = 0; n < 500; n += 1) {
    t.is(outbox.next(1)[0]?.event, n * 100);
    outbox.done(100);
  }
  t.is(outbox.size, 0);
  t.deepEqual(outbox.next(1), []);
});
