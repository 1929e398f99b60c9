import { RelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import type { Batch, Outcome } from '../port.ts';
import { type MemoryLink, memoryBus } from '../testing/memory-bus.ts';

test('where the second of two topics does not start, the first one of that try works no more', async (t) => {
  const clock = manualClock();
  let asked = 0;
  const link: MemoryLink = {
    async call(what, act) {
      if (what === 'committed' && (asked += 1) === 2)
        throw new RelayError('bus_unavailable', { details: { reason: 'away' } });
      return act();
    },
    notify: (listener) => listener(),
  };
  const bus = memoryBus(clock, { link });
  const seen: string[] = [];
  const handle = async ({ records }: Batch): Promise<Outcome[]> => {
    seen.push(...records.map(({ value }) => Buffer.from(value).toString()));
    return records.map(() => ({ kind: 'done' }));
  };
  const joining = bus.consumeTogether(
    { topic: 'first', group: 'group', from: 'earliest', handle },
    { topic: 'second', group: 'group', from: 'earliest', handle },
  );
  await clock.advance(10_000);
  await joining;
  t.is(asked, 4);
  await bus.publish('first', [{ key: 'k', value: 'once' }]);
  await clock.advance(1_000);
  t.deepEqual(seen, ['once']);
  const closing = bus.close();
  await clock.advance(20_000);
  await closing;
});
