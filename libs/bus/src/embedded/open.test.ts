import { dirname, join } from 'node:path';
import { topics as catalogue } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import { openSqlite, type SqliteFile } from '@ranger-relay/sqlite';
import test, { type ExecutionContext } from 'ava';
import type { Bus, Handler } from '../port.ts';
import { contractTopics, events, Inbox, letters, single, stored } from '../testing/contract/inbox.ts';
import { temporaryBus, type TemporaryBusOptions } from '../testing/temporary-bus.ts';
import { openEmbeddedBus } from './open.ts';

/** A bus whose file can be reached, with room for so many pages. */
const withFile = async (t: ExecutionContext, maxPages?: number, options: TemporaryBusOptions = {}) => {
  let file: SqliteFile | undefined;
  const temporary = await temporaryBus(t, {
    topics: contractTopics,
    ...options,
    openFile: async (given) => (file = await openSqlite({ ...given, ...(maxPages === undefined ? {} : { maxPages }) })),
  });
  return { ...temporary, file: file as SqliteFile };
};

const big = (n: number) => letters('k', ...Array.from({ length: n }, (_, i) => `${i} ${'x'.repeat(9_000)}`));
/** Publishes until the bus refuses; returns how many records it took, and the refusal. */
const fill = async (bus: Bus): Promise<{ acknowledged: number; refusal: RelayError }> => {
  for (let acknowledged = 0; ; acknowledged += 1) {
    try {
      await bus.publish('single', big(1));
    } catch (error) {
      return { acknowledged, refusal: error as RelayError };
    }
  }
};

const room = 'PRAGMA max_page_count = 100000';

test('on a full disk publishing is refused, what was acknowledged stays, and it goes on when there is room', async (t) => {
  const { bus, file } = await withFile(t, 60);
  const { acknowledged, refusal } = await fill(bus);
  t.is(refusal.code, 'bus_unavailable');
  t.is(refusal.next, 'retry');
  t.regex(refusal.message, /disk.*full/);
  t.true(acknowledged > 0);
  t.true(bus.ready());
  t.is((await stored(bus, 'single')).length, acknowledged);
  await file.read(room);
  await bus.publish('single', letters('k', 'after'));
  t.is((await stored(bus, 'single')).at(-1), 'after');
});

test('a record given up while the disk is full is delivered again until its dead letter is stored', async (t) => {
  const { bus, file } = await withFile(t, 60);
  await bus.publish('single', letters('k', 'bad'));
  await fill(bus);
  const inbox = new Inbox();
  const subscription = await bus.consume({
    topic: 'single',
    group: 'group',
    maxBatch: 1,
    handle: async (batch) => {
      inbox.take(batch);
      const body = Buffer.alloc(100_000);
      return [{ kind: 'dead', letter: { kind: 'message', integrationId: null, reason: 'r', detail: 'd', body } }];
    },
  });
  await inbox.count(1);
  t.deepEqual(await stored(bus, catalogue.deadLetters.name), []);
  await file.read(room);
  subscription.wake();
  await inbox.count(4);
  t.deepEqual(new Set(inbox.texts.slice(0, 2)), new Set(['bad']));
  await subscription.close();
  t.true((await stored(bus, catalogue.deadLetters.name)).length >= 2);
});

test('when the store dies, publishing says so, nothing is ready, and consumers are not alive', async (t) => {
  const { bus, file } = await withFile(t);
  const subscription = await bus.consume({ topic: 'single', group: 'group', handle: async () => [] });
  await file.close();
  const error = await t.throwsAsync<RelayError>(bus.publish('single', letters('k', 'v')));
  t.is(error?.code, 'bus_unavailable');
  t.regex(error?.message ?? '', /no longer open/);
  t.false(bus.ready());
  t.false(subscription.alive());
});

test('looking only cannot consume, and never makes a file', async (t) => {
  const own = await temporaryBus(t, { topics: contractTopics });
  const look = await own.beside();
  const error = await t.throwsAsync<RelayError>(
    look.bus.consume({ topic: 'single', group: 'group', handle: async () => [] }),
  );
  t.is(error?.code, 'bus_unavailable');
  const { clock, random, log, metrics } = testContext();
  const path = join(dirname(own.path), 'missing.sqlite');
  const opening = openEmbeddedBus({ path, topics: contractTopics, clock, random, log, metrics, mode: 'look' });
  t.is((await t.throwsAsync<RelayError>(opening))?.code, 'data_dir_unusable');
});

test('looking only sees the owner’s topics and no others', async (t) => {
  const own = await temporaryBus(t, { topics: [single] });
  const { clock, random, log, metrics } = testContext();
  const look = await openEmbeddedBus({
    path: own.path,
    topics: contractTopics,
    clock,
    random,
    log,
    metrics,
    mode: 'look',
  });
  t.teardown(() => look.close());
  await look.publish('single', letters('k', 'v'));
  t.deepEqual(await stored(own.bus, 'single'), ['v']);
  t.is((await t.throwsAsync<RelayError>(look.publish('events', letters('k', 'v'))))?.code, 'bus_topic_unknown');
});

test('a topic keeps its number of partitions when its specification changes', async (t) => {
  const own = await temporaryBus(t, { topics: [events] });
  await own.bus.publish('events', letters('k', 'before'));
  await own.close();
  const { clock, random, log, metrics } = testContext();
  const more = [{ ...events, partitions: 9 }, single];
  const bus = await openEmbeddedBus({ path: own.path, topics: more, clock, random, log, metrics });
  t.teardown(() => bus.close());
  const subscription = await bus.consume({ topic: 'events', group: 'group', handle: async () => [{ kind: 'done' }] });
  t.deepEqual([...subscription.assigned()], [0, 1, 2, 3]);
  await bus.publish('single', letters('k', 'new topic'));
  t.deepEqual(await stored(bus, 'single'), ['new topic']);
});

test('a consumer of one group holds no timer when nothing happens but the poll, its deadline and the sweep', async (t) => {
  const clock = manualClock();
  const { bus } = await temporaryBus(t, { context: testContext({ clock }) });
  for (const group of ['one', 'two', 'three', 'four'])
    await bus.consume({ topic: 'source-events', group, handle: async () => [] });
  // The file answers in order: behind a publication every fetch is answered, so that no manual second is its deadline.
  for (let second = 0; second < 60; second += 1) {
    for (let turn = 0; turn < 3; turn += 1) await bus.publish('dead-letters', letters('k', 'v'));
    await clock.advance(1_000);
  }
  t.true(clock.pending() <= 3, `${clock.pending()} timers`);
});

test('publishing and dead letters are measured', async (t) => {
  const { log } = recordingLogger();
  const context = testContext({ log });
  const { bus } = await temporaryBus(t, { topics: contractTopics, context });
  await bus.publish('single', letters('k', 'v'));
  const inbox = new Inbox();
  const subscription = await bus.consume({
    topic: 'single',
    group: 'group',
    handle: async (batch) => {
      inbox.take(batch);
      return [{ kind: 'dead', letter: { kind: 'message', integrationId: null, reason: 'refused', detail: 'd' } }];
    },
  });
  await inbox.count(1);
  await subscription.close();
  const text = await context.metrics.render();
  t.regex(text, /relay_bus_publish_seconds_count\{topic="single"\} 1/);
  t.regex(text, /relay_dead_letters_total\{kind="message",reason="refused"\} 1/);
});

test('many pending records are counted page by page', async (t) => {
  const { bus } = await temporaryBus(t, { topics: contractTopics });
  for (let i = 0; i < 5; i += 1)
    await bus.publish(
      'single',
      Array.from({ length: 9_000 }, (_, k) => ({ key: `k${k % 3}`, value: '' })),
    );
  const keys = await bus.pending('single', 'group');
  t.deepEqual(
    keys.map(({ count }) => count),
    [15_000, 15_000, 15_000],
  );
});

test('a group whose offsets a salvaged file has lost begins with the records of the last five days, and says what it passes over', async (t) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const context = testContext({ clock, log });
  const { bus } = await withFile(t, undefined, { context });
  await bus.publish('single', letters('k', 'a', 'b'));
  clock.jump(6 * 86_400_000);
  await bus.publish('single', letters('k', 'c'));
  const inbox = new Inbox();
  const begin = () =>
    bus.consume({
      topic: 'single',
      group: 'group',
      handle: async (batch) => {
        inbox.take(batch);
        return batch.records.map(() => ({ kind: 'done' }));
      },
    });
  const subscription = await begin();
  await inbox.count(1);
  await subscription.close();
  t.deepEqual(inbox.texts, ['c']);
  const said = (): readonly object[] => lines.filter(({ level }) => level === 'error');
  t.like(said(), [{ topic: 'single', group: 'group', partition: 0, from: '1', records: 2 }]);
  t.regex(await context.metrics.render(), /relay_bus_lost_records_total\{topic="single",reason="no_offsets"\} 2/);
  await (await begin()).close();
  t.is(said().length, 1);
  t.deepEqual(inbox.texts, ['c']);
});

test('a clock that is days ahead makes no unread record old: a group without offsets reads five days back from the newest one', async (t) => {
  const clock = manualClock();
  const { bus } = await withFile(t, undefined, { context: testContext({ clock }) });
  await bus.publish('single', letters('k', 'a'));
  clock.jump(6 * 86_400_000);
  await bus.publish('single', letters('k', 'b'));
  clock.jump(30 * 86_400_000);
  const inbox = new Inbox();
  const handle: Handler = async (batch) => {
    inbox.take(batch);
    return batch.records.map(() => ({ kind: 'done' }));
  };
  await bus.consume({ topic: 'single', group: 'group', handle });
  await inbox.count(1);
  t.deepEqual(inbox.texts, ['b']);
});
