import test, { type ExecutionContext } from 'ava';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import type { Outcome } from '../port.ts';
import { Inbox, letters, stored } from '../testing/contract/inbox.ts';
import { contractTopics } from '../testing/contract/lane.ts';
import { temporaryBus } from '../testing/temporary-bus.ts';

const day = 86_400_000;

const start = async (t: ExecutionContext) => {
  const clock = manualClock();
  const { bus } = await temporaryBus(t, { topics: contractTopics, context: testContext({ clock }) });
  return { clock, bus };
};

test('what is older than its retention goes, what is younger stays', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', 'old 1', 'old 2'));
  clock.jump(day + 1);
  await bus.publish('single', letters('k', 'young'));
  t.is(await bus.sweep(), 2);
  t.deepEqual(await stored(bus, 'single'), ['young']);
  t.is(await bus.sweep(), 0);
});

test('what a group of the topic has not committed stays, however old it is', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', 'a', 'b', 'c'));
  const inbox = new Inbox();
  const subscription = await bus.consume({
    topic: 'single',
    group: 'slow',
    handle: async (batch): Promise<Outcome[]> => {
      inbox.take(batch);
      return batch.records.map((_, i) => (i === 0 ? { kind: 'done' } : { kind: 'retry', afterMs: 3_600_000 }));
    },
  });
  await inbox.count(3);
  await subscription.close();
  clock.jump(30 * day);
  t.is(await bus.sweep(), 1);
  t.deepEqual(await stored(bus, 'single'), ['b', 'c']);
});

test('a group that has consumed nothing yet holds everything', async (t) => {
  const { clock, bus } = await start(t);
  const subscription = await bus.consume({ topic: 'single', group: 'new', handle: () => new Promise(() => undefined) });
  await bus.publish('single', letters('k', 'a'));
  await subscription.close(0);
  clock.jump(30 * day);
  t.is(await bus.sweep(), 0);
});

test('each topic has its own retention', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('dead-letters', letters('k', 'letter'));
  await bus.publish('single', letters('k', 'event'));
  clock.jump(29 * day);
  t.is(await bus.sweep(), 1);
  t.deepEqual(await stored(bus, 'dead-letters'), ['letter']);
});

test('more records than one transaction deletes go in one sweep', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', ...Array.from({ length: 2_500 }, String)));
  clock.jump(2 * day);
  t.is(await bus.sweep(), 2_500);
});

test('offsets are not used again after everything was deleted', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', 'a', 'b'));
  clock.jump(2 * day);
  await bus.sweep();
  await bus.publish('single', letters('k', 'c'));
  for await (const { offset } of bus.read({ topic: 'single' })) t.true(offset > 2n);
});

test('the bus sweeps by itself every ten minutes', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', 'old'));
  clock.jump(2 * day);
  await clock.advance(600_000);
  for (let i = 0; i < 100 && (await stored(bus, 'single')).length > 0; i += 1);
  t.deepEqual(await stored(bus, 'single'), []);
});
