import { untilDone } from '@ranger-relay/contracts';
import { manualClock, type ManualClock, testContext } from '@ranger-relay/runtime/testing';
import { openSqlite, type SqliteFile } from '@ranger-relay/sqlite';
import test, { type ExecutionContext } from 'ava';
import type { Outcome } from '../port.ts';
import { contractTopics, Inbox, letters, stored } from '../testing/contract/inbox.ts';
import { temporaryBus } from '../testing/temporary-bus.ts';
import type { EmbeddedBus } from './open.ts';

const day = 86_400_000;

/** Time passes while the bus runs; sweeping before and after it as the bus does by itself. */
const runFor = async (clock: ManualClock, bus: EmbeddedBus, ms: number): Promise<void> => {
  await bus.sweep();
  clock.block(ms);
};

const start = async (t: ExecutionContext) => {
  const clock = manualClock();
  const { bus } = await temporaryBus(t, { topics: contractTopics, context: testContext({ clock }) });
  return { clock, bus };
};

test('what is older than its retention goes, what is younger stays', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', 'old 1', 'old 2'));
  await runFor(clock, bus, day + 1);
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
  await runFor(clock, bus, 30 * day);
  t.is(await bus.sweep(), 1);
  t.deepEqual(await stored(bus, 'single'), ['b', 'c']);
});

test('a group that has consumed nothing yet holds everything', async (t) => {
  const { clock, bus } = await start(t);
  const subscription = await bus.consume({ topic: 'single', group: 'new', handle: () => new Promise(() => undefined) });
  await bus.publish('single', letters('k', 'a'));
  await subscription.close(0);
  await runFor(clock, bus, 30 * day);
  t.is(await bus.sweep(), 0);
});

test('each topic has its own retention', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('dead-letters', letters('k', 'letter'));
  await bus.publish('single', letters('k', 'event'));
  await runFor(clock, bus, 29 * day);
  t.is(await bus.sweep(), 1);
  t.deepEqual(await stored(bus, 'dead-letters'), ['letter']);
});

test('more records than one transaction deletes go in one sweep', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', ...Array.from({ length: 2_500 }, String)));
  await runFor(clock, bus, 2 * day);
  t.is(await bus.sweep(), 2_500);
});

test('offsets are not used again after everything was deleted', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', 'a', 'b'));
  await runFor(clock, bus, 2 * day);
  await bus.sweep();
  await bus.publish('single', letters('k', 'c'));
  for await (const { offset } of bus.read({ topic: 'single' })) t.true(offset > 2n);
});

test('the bus sweeps by itself every ten minutes', async (t) => {
  const { clock, bus } = await start(t);
  await bus.publish('single', letters('k', 'old'));
  await runFor(clock, bus, 2 * day);
  await clock.advance(0);
  for (let i = 0; i < 100 && (await stored(bus, 'single')).length > 0; i += 1);
  t.deepEqual(await stored(bus, 'single'), []);
});

for (const [what, jump] of [
  ['ahead', 3_650 * day],
  ['back', -3_650 * day],
] as const)
  test(`nothing is deleted because the clock jumped ${what}, before, beside or between two processes`, async (t) => {
    const clock = manualClock();
    const first = await temporaryBus(t, { topics: contractTopics, context: testContext({ clock }) });
    await first.bus.publish('single', letters('k', 'before'));
    await first.bus.sweep();
    clock.jump(jump);
    await first.bus.publish('single', letters('k', 'after'));
    t.is(await first.bus.sweep(), 0);
    clock.jump(-jump);
    t.is(await first.bus.sweep(), 0);
    clock.jump(jump);
    const { bus } = await first.reopen();
    t.is(await bus.sweep(), 0);
    clock.block(23 * 3_600_000);
    t.is(await bus.sweep(), 0);
    t.deepEqual(await stored(bus, 'single'), ['before', 'after']);
    clock.block(2 * 3_600_000);
    t.is(await bus.sweep(), 1);
    clock.block(day);
    t.is(await bus.sweep(), 1);
  });

test('time that the bus ran counts over restarts, and marks that say nothing more are forgotten', async (t) => {
  const clock = manualClock();
  let file: SqliteFile | undefined;
  const openFile: typeof openSqlite = async (options) => (file = await openSqlite(options));
  let running = await temporaryBus(t, { topics: contractTopics, context: testContext({ clock }), openFile });
  await running.bus.publish('single', letters('k', 'old'));
  for (let hours = 0; hours < 26; hours += 1) {
    await running.bus.sweep();
    running = await running.reopen();
    clock.block(3_600_000);
  }
  t.deepEqual(await stored(running.bus, 'single'), []);
  for (let days = 0; days < 100; days += 1) {
    clock.block(day);
    await running.bus.sweep();
  }
  const [row] = (await file?.read('SELECT count(*) AS marks FROM marks')) ?? [];
  t.true((row?.['marks'] as number) <= 40);
});

test('what is kept until it is done stays without a group, and goes once its group has committed it', async (t) => {
  const clock = manualClock();
  const topics = [{ name: 'calls', partitions: 1, retentionMs: untilDone, maxRecordBytes: 1_000 }];
  const { bus } = await temporaryBus(t, { topics, context: testContext({ clock }) });
  await bus.publish('calls', letters('k', 'a', 'b'));
  await runFor(clock, bus, 60 * day);
  t.is(await bus.sweep(), 0);
  const inbox = new Inbox();
  const subscription = await bus.consume({
    topic: 'calls',
    group: 'group',
    from: 'earliest',
    handle: async (batch): Promise<Outcome[]> => {
      inbox.take(batch);
      return batch.records.map((_, i) => (i === 0 ? { kind: 'done' } : { kind: 'retry', afterMs: 3_600_000 }));
    },
  });
  await inbox.count(2);
  await subscription.close();
  t.is(await bus.sweep(), 1);
  t.deepEqual(await stored(bus, 'calls'), ['b']);
});
