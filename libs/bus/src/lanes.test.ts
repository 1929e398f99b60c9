import test from 'ava';
import { createLanes, type Delivery, type Lanes, type LanesOptions } from './lanes.ts';

interface R {
  readonly offset: bigint;
  readonly key: string;
  readonly timestamp: number;
  readonly value: Uint8Array;
  readonly lane: string;
}

/** Records named by lane, `a0 b1 a2`: the number is the offset. */
const records = (text: string): R[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({
      offset: BigInt(word.slice(1)),
      key: word.slice(0, 1),
      timestamp: 1_000 + Number(word.slice(1)),
      value: new Uint8Array(10),
      lane: word.slice(0, 1),
    }));

const named = (deliveries: readonly Delivery<R>[]): string[] =>
  deliveries.map((delivery) => delivery.records.map(({ lane, offset }) => `${lane}${offset}`).join(' '));

const start = (options: Partial<LanesOptions<R>> = {}): Lanes<R> =>
  createLanes<R>({
    start: 0n,
    laneOf: ({ lane }) => lane,
    maxBatch: 3,
    maxBatchBytes: 1_000,
    maxRunning: 4,
    maxAhead: 100,
    maxThrows: 3,
    throwDelay: (n) => 10 * (n + 1),
    ...options,
  });

/** Answers the open fetch from a whole partition. */
const feed = (lanes: Lanes<R>, partition: readonly R[], now = 0): boolean => {
  const request = lanes.fetch(now);
  if (!request) return false;
  const { from, before, maxRecords } = request;
  const all = partition.filter(({ offset }) => offset >= from && (before === null || offset < before));
  lanes.accept(all.slice(0, maxRecords), all.length <= maxRecords, now);
  return true;
};

const feedAll = (lanes: Lanes<R>, partition: readonly R[], now = 0): void => {
  for (let i = 0; i < 100 && feed(lanes, partition, now); i += 1);
};

const done = (finished: number) => ({ finished, retryAfterMs: 0 });

test('lanes of one page run at the same time, each in order', (t) => {
  const lanes = start();
  feed(lanes, records('a0 b1 a2'));
  t.deepEqual(named(lanes.take(0)), ['a0 a2', 'b1']);
  t.is(lanes.running(), 2);
});

test('a lane has one delivery at a time', (t) => {
  const lanes = start({ maxBatch: 1 });
  const partition = records('a0 a1');
  feed(lanes, partition);
  t.deepEqual(named(lanes.take(0)), ['a0']);
  feedAll(lanes, partition);
  t.deepEqual(named(lanes.take(0)), []);
  lanes.settle('a', done(1), 0);
  t.deepEqual(named(lanes.take(0)), ['a1']);
});

test('no more lanes run than allowed, and the longest ready goes next', (t) => {
  const lanes = start({ maxRunning: 1 });
  feed(lanes, records('a0 b1 c2'));
  t.deepEqual(named(lanes.take(0)), ['a0']);
  lanes.settle('a', done(1), 0);
  t.deepEqual(named(lanes.take(0)), ['b1']);
});

test('a batch stays within its bytes, but one record always goes', (t) => {
  const lanes = start({ maxBatchBytes: 25 });
  feed(lanes, records('a0 a1 a2'));
  t.deepEqual(named(lanes.take(0)), ['a0 a1']);
  const small = start({ maxBatchBytes: 1 });
  feed(small, records('a0 a1'));
  t.deepEqual(named(small.take(0)), ['a0']);
});

test('the commit stays behind the slowest lane', (t) => {
  const lanes = start();
  feed(lanes, records('a0 b1 a2'));
  lanes.take(0);
  t.is(lanes.commit(), 0n);
  lanes.settle('a', done(2), 0);
  t.is(lanes.commit(), 1n);
  lanes.settle('b', done(1), 0);
  t.is(lanes.commit(), 3n);
});

test('a retry holds its own lane only, and comes again from the first record that is not done', (t) => {
  const lanes = start();
  const partition = records('a0 a1 b2 b3 a4');
  feed(lanes, partition);
  lanes.take(0);
  lanes.settle('a', { finished: 1, retryAfterMs: 100 }, 0);
  lanes.settle('b', done(1), 0);
  feedAll(lanes, partition);
  t.deepEqual(named(lanes.take(0)), ['b3']);
  t.is(lanes.wakeAt(0), 100);
  lanes.settle('b', done(1), 0);
  t.is(lanes.fetch(99), null);
  t.is(lanes.commit(), 1n);
  feedAll(lanes, partition, 100);
  const [delivery] = lanes.take(100);
  t.deepEqual(named(delivery ? [delivery] : []), ['a1']);
  t.deepEqual(delivery?.attempts, [1]);
});

test('what a waiting lane skipped is read again, and only its own records', (t) => {
  const lanes = start();
  const partition = records('a0 b1 a2 b3 a4 b5');
  feed(lanes, partition.slice(0, 2));
  lanes.take(0);
  lanes.settle('a', { finished: 0, retryAfterMs: 50 }, 0);
  lanes.settle('b', done(1), 0);
  lanes.notify();
  feedAll(lanes, partition);
  t.deepEqual(named(lanes.take(0)), ['b3 b5']);
  lanes.settle('b', done(2), 0);
  feedAll(lanes, partition, 50);
  t.deepEqual(named(lanes.take(50)), ['a0 a2']);
  lanes.settle('a', done(2), 50);
  feedAll(lanes, partition, 50);
  t.deepEqual(named(lanes.take(50)), ['a4']);
  lanes.settle('a', done(1), 50);
  t.is(lanes.commit(), 6n);
});

test('a lane that is free again while the page of another is on its way misses nothing', (t) => {
  const lanes = start({ maxBatch: 8 });
  const partition = records('a0 b1 a2 b3');
  feed(lanes, partition);
  lanes.take(0);
  lanes.settle('b', { finished: 0, retryAfterMs: 0 }, 0);
  const request = lanes.fetch(0);
  t.deepEqual([request?.from, request?.before], [1n, 4n]);
  lanes.settle('a', { finished: 0, retryAfterMs: 0 }, 0);
  lanes.accept(partition.slice(1), true, 0);
  t.deepEqual(named(lanes.take(0)), ['b1 b3']);
  feedAll(lanes, partition);
  t.deepEqual(named(lanes.take(0)), ['a0 a2']);
});

test('the main position runs ahead of the slowest lane by so many records and no more', (t) => {
  const lanes = start({ maxAhead: 5, maxBatch: 2 });
  const partition = records('a0 b1 b2 b3 b4 b5 b6 b7');
  const seen: string[] = [];
  const work = (now: number): void => {
    for (let i = 0; i < 20; i += 1) {
      feed(lanes, partition, now);
      for (const delivery of lanes.take(now)) {
        seen.push(...named([delivery]));
        const stuck = delivery.lane === 'a' && now < 1_000;
        lanes.settle(delivery.lane, stuck ? { finished: 0, retryAfterMs: 1_000 } : done(delivery.records.length), now);
      }
    }
  };
  work(0);
  t.deepEqual(seen, ['a0', 'b1', 'b2 b3', 'b4']);
  t.is(lanes.commit(), 0n);
  t.is(lanes.fetch(0), null);
  work(1_000);
  t.is(lanes.commit(), 8n);
});

test('a busy lane is passed only when it has been busy for long', (t) => {
  const lanes = start({ maxBatch: 2 });
  const partition = records('a0 a1 a2 a3 a4 a5 b6');
  feed(lanes, partition);
  lanes.take(0);
  feedAll(lanes, partition);
  t.is(lanes.fetch(499), null);
  t.is(lanes.wakeAt(0), 500);
  feedAll(lanes, partition, 500);
  t.deepEqual(named(lanes.take(500)), ['b6']);
});

test('what busy lanes have in memory is bounded by bytes, however far the main position goes, and none of it is lost', (t) => {
  const names = ['a', 'b', 'c', 'd'];
  const partition = records(Array.from({ length: 80 }, (_, n) => `${names[n % 4]}${n}`).join(' '));
  const lanes = start({ maxBatch: 20, maxBatchBytes: 100, maxRunning: 5 });
  feed(lanes, partition);
  const running = new Map(lanes.take(0).map(({ lane, records: batch }) => [lane, batch.length]));
  feedAll(lanes, [...partition, ...records('e80')], 600);
  t.deepEqual(named(lanes.take(600)), ['e80']);
  lanes.settle('e', done(1), 600);

  let [held, delivered] = [0, 0];
  const finish = (): void => {
    for (const [lane, count] of running) {
      delivered += count;
      lanes.settle(lane, done(count), 600);
    }
    running.clear();
  };
  finish();
  for (let batches = lanes.take(600); batches.length > 0; batches = lanes.take(600)) {
    for (const { lane, records: batch } of batches) {
      held += batch.length;
      running.set(lane, batch.length);
    }
    finish();
  }
  t.true(held * 10 <= 100, `${held} records of 10 bytes`);
  while (lanes.commit() < 81n) {
    feed(lanes, [...partition, ...records('e80')], 600);
    for (const { lane, records: batch } of lanes.take(600)) running.set(lane, batch.length);
    finish();
  }
  t.is(delivered, 80);
});

test('a partition of one lane does not read ahead of a wait', (t) => {
  const lanes = start({ laneOf: null });
  const partition = records('a0 b1 c2 d3 e4 f5');
  feed(lanes, partition);
  t.deepEqual(named(lanes.take(0)), ['a0 b1 c2']);
  lanes.settle('', { finished: 1, retryAfterMs: 100 }, 0);
  t.is(lanes.fetch(0), null);
  feedAll(lanes, partition, 100);
  t.deepEqual(named(lanes.take(100)), ['b1 c2 d3']);
});

test('a handler that throws on a batch gets its records one by one until the guilty one is dead', (t) => {
  const lanes = start();
  const partition = records('a0 a1 a2');
  const log: string[] = [];
  feed(lanes, partition);
  let now = 0;
  for (let i = 0; i < 20 && lanes.commit() < 3n; i += 1) {
    for (const delivery of lanes.take(now)) {
      log.push(...named([delivery]));
      const throws = delivery.records.some(({ offset }) => offset === 1n);
      if (!throws) lanes.settle('a', done(delivery.records.length), now);
      else if (lanes.threw('a', now)) {
        log.push('dead-lettered');
        lanes.settle('a', done(1), now);
      }
    }
    now = lanes.wakeAt(now) ?? now;
    feedAll(lanes, partition, now);
  }
  t.deepEqual(log, ['a0 a1 a2', 'a0', 'a1', 'a1', 'a1', 'dead-lettered', 'a2']);
  t.is(now, 10 + 10 + 20);
});

test('after the records of the failed batch the lane goes on in batches', (t) => {
  const lanes = start();
  const partition = records('a0 a1 a2 a3 a4');
  feed(lanes, partition);
  lanes.take(0);
  lanes.threw('a', 0);
  const log: string[] = [];
  for (let i = 0; i < 20 && lanes.commit() < 5n; i += 1) {
    feedAll(lanes, partition, 10);
    for (const delivery of lanes.take(10)) {
      log.push(...named([delivery]));
      lanes.settle('a', done(delivery.records.length), 10);
    }
  }
  t.deepEqual(log, ['a0', 'a1', 'a2', 'a3 a4']);
});

test('an answer of any kind forgets the throws before it', (t) => {
  const lanes = start({ maxThrows: 2 });
  const partition = records('a0');
  const next = (): void => {
    feedAll(lanes, partition, 1_000_000);
    t.is(lanes.take(1_000_000).length, 1);
  };
  next();
  t.false(lanes.threw('a', 0));
  next();
  lanes.settle('a', { finished: 0, retryAfterMs: 0 }, 0);
  next();
  t.false(lanes.threw('a', 0));
  next();
  t.true(lanes.threw('a', 0));
});

test('wake ends the wait of the named lane alone, or of all', (t) => {
  const lanes = start();
  const partition = records('a0 b1');
  feed(lanes, partition);
  lanes.take(0);
  lanes.settle('a', { finished: 0, retryAfterMs: 1_000 }, 0);
  lanes.settle('b', { finished: 0, retryAfterMs: 1_000 }, 0);
  lanes.wake('b');
  feedAll(lanes, partition);
  t.deepEqual(named(lanes.take(0)), ['b1']);
  lanes.wake();
  lanes.wake('unknown');
  feedAll(lanes, partition);
  t.deepEqual(named(lanes.take(0)), ['a0']);
});

test('a lane that is woken while it runs does not wait once', (t) => {
  const lanes = start();
  const partition = records('a0');
  feed(lanes, partition);
  lanes.take(0);
  lanes.wake('a');
  lanes.settle('a', { finished: 0, retryAfterMs: 1_000 }, 0);
  feedAll(lanes, partition);
  t.is(lanes.take(0).length, 1);
  lanes.settle('a', { finished: 0, retryAfterMs: 1_000 }, 0);
  t.is(lanes.fetch(0), null);
});

test('the oldest pending record is the first undone of the slowest lane', (t) => {
  const lanes = start();
  t.is(lanes.oldest(), null);
  feed(lanes, records('a0 b1 a2'));
  lanes.take(0);
  t.is(lanes.oldest(), 1_000);
  lanes.settle('a', { finished: 1, retryAfterMs: 10 }, 0);
  t.is(lanes.oldest(), 1_001);
  lanes.settle('b', done(1), 0);
  t.is(lanes.oldest(), 1_002);
});

test('a caught-up partition fetches again only when told of new records', (t) => {
  const lanes = start();
  feed(lanes, records('a0'));
  t.is(lanes.fetch(0), null);
  lanes.notify();
  t.is(lanes.fetch(0)?.from, 1n);
});

test('records that come while an empty page is on its way are fetched', (t) => {
  const lanes = start();
  lanes.fetch(0);
  lanes.notify();
  lanes.accept([], true, 0);
  t.is(lanes.fetch(0)?.from, 0n);
});

test('a failed fetch is made again', (t) => {
  const lanes = start();
  const request = lanes.fetch(0);
  t.is(lanes.fetch(0), request);
  lanes.dropFetch();
  t.deepEqual(lanes.fetch(0), request);
});

test('a naming function that throws puts its records into one lane', (t) => {
  const lanes = start({
    laneOf: () => {
      throw new TypeError('no name');
    },
  });
  feed(lanes, records('a0 b1'));
  t.deepEqual(named(lanes.take(0)), ['a0 b1']);
});

test('an end without a beginning is a defect that shows', (t) => {
  const lanes = start();
  t.throws(() => lanes.settle('a', done(1), 0), { message: /no delivery/ });
  t.throws(() => lanes.accept([], true, 0), { message: /no fetch/ });
});

test('a key that waits apart delays no other key of its lane, however far these go on, and comes again in order', (t) => {
  const lanes = start({ laneOf: () => 'all', maxAhead: 4 });
  const partition = records('a0 b1 a2 b3 b4 a5 b6 b7 b8 b9');
  feedAll(lanes, partition);
  t.deepEqual(named(lanes.take(0)), ['a0 b1 a2']);
  lanes.settle('all', { finished: 3, retryAfterMs: 100, apart: [0] }, 0);
  const others: string[] = [];
  feedAll(lanes, partition);
  for (let batch = lanes.take(0); batch.length > 0; feedAll(lanes, partition), batch = lanes.take(0)) {
    others.push(...named(batch));
    for (const { lane, records: some } of batch) lanes.settle(lane, done(some.length), 0);
  }
  t.is(others.join(' '), 'b3 b4 b6 b7 b8 b9');
  t.is(lanes.commit(), 0n);
  feedAll(lanes, partition, 100);
  t.deepEqual(named(lanes.take(100)), ['a0 a2']);
  lanes.settle('apart:a', done(2), 100);
  feedAll(lanes, partition, 100);
  t.deepEqual(named(lanes.take(100)), ['a5']);
  lanes.settle('apart:a', done(1), 100);
  feedAll(lanes, partition, 100);
  t.is(lanes.commit(), 10n);
});
