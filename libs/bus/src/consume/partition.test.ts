import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { Outcome } from '../port.ts';
import { canFetch } from './partition.ts';
import { done, recordAt, start } from './test/small-partition.ts';

const dead: Outcome = { kind: 'dead', letter: { kind: 'message', integrationId: null, reason: 'r', detail: 'd' } };

test('what is done is committed', async (t) => {
  const { clock, commits, partition } = start(3, async ({ records }) => done(records.length));
  await clock.advance(0);
  t.deepEqual(commits, [3n]);
  t.is(partition.oldest(), null);
});

test('new records are fetched when it is told of them', async (t) => {
  const seen: bigint[] = [];
  const { clock, partition, records } = start(1, async (batch) => {
    seen.push(...batch.records.map(({ offset }) => offset));
    return done(batch.records.length);
  });
  await clock.advance(0);
  records.push(recordAt(1));
  await clock.advance(10_000);
  t.deepEqual(seen, [0n]);
  partition.notify();
  await clock.advance(0);
  t.deepEqual(seen, [0n, 1n]);
});

test('a fetch that fails is made again after a second', async (t) => {
  const { clock, faults, commits, partition } = start(2, async ({ records }) => done(records.length));
  faults.fetch = new RelayError('deadline_exceeded', { details: { what: 'The store', ms: 1 } });
  partition.notify();
  await clock.advance(0);
  const {
    records,
    clock: other,
    faults: otherFaults,
    commits: otherCommits,
    lines,
    partition: second,
  } = start(0, async (batch) => done(batch.records.length));
  await other.advance(0);
  otherFaults.fetch = faults.fetch;
  records.push(recordAt(0));
  second.notify();
  await other.advance(999);
  t.deepEqual(otherCommits, []);
  t.true(lines.some(({ msg }) => msg === 'fetching failed; retrying'));
  delete otherFaults.fetch;
  await other.advance(1);
  t.deepEqual(otherCommits, [1n]);
  t.true(second.alive());
  t.deepEqual(commits, [2n]);
});

test('a store that is gone is a crash that shows', async (t) => {
  const { clock, faults, partition, records, lines } = start(0, async (batch) => done(batch.records.length));
  await clock.advance(0);
  faults.fetch = new RelayError('store_closed', { details: { path: 'p', reason: 'r' } });
  records.push(recordAt(0));
  partition.notify();
  await clock.advance(0);
  t.false(partition.alive());
  t.true(lines.some(({ level, msg }) => level === 'fatal' && msg === 'a consumer has crashed'));
  await partition.stop(0);
});

test('a dead letter that cannot be stored holds its record, and is stored later', async (t) => {
  let calls = 0;
  const { clock, faults, deadLettered, commits } = start(3, async ({ records }) => {
    calls += 1;
    return records.map(({ offset }) => (offset === 1n ? dead : { kind: 'done' }));
  });
  faults.deadLetter = new RelayError('bus_unavailable', { details: { reason: 'r' } });
  await clock.advance(0);
  t.deepEqual(deadLettered, []);
  t.is(calls, 1);
  await clock.advance(999);
  t.deepEqual(commits, [1n]);
  delete faults.deadLetter;
  await clock.advance(1);
  t.deepEqual(deadLettered, ['1 r 2']);
  t.deepEqual(commits, [1n, 3n]);
});

test('a record that is given up after throws is not lost when its dead letter cannot be stored', async (t) => {
  const { clock, faults, deadLettered, commits } = start(
    1,
    async () => {
      throw new TypeError('always');
    },
    { maxThrows: 2 },
  );
  faults.deadLetter = new RelayError('bus_unavailable', { details: { reason: 'r' } });
  await clock.advance(60_000);
  t.deepEqual(commits, []);
  delete faults.deadLetter;
  await clock.advance(60_000);
  t.is(deadLettered.length, 1);
  t.regex(deadLettered[0] ?? '', /^0 handler_failed/);
  t.deepEqual(commits, [1n]);
});

test('throws wait longer each time, and are counted, and logged once a minute', async (t) => {
  const times: number[] = [];
  const { clock, lines, metrics } = start(
    1,
    async () => {
      times.push(clock.monotonic());
      throw new Error('no');
    },
    { maxThrows: 4 },
  );
  await clock.advance(10_000);
  t.deepEqual(times, [0, 100, 300, 700]);
  const said = () => lines.filter(({ msg }) => msg === 'a handler failed unexpectedly').map(({ count = 1 }) => count);
  t.deepEqual(said(), [1]);
  await clock.advance(60_000);
  t.deepEqual(said(), [1, 3]);
  t.regex(await metrics.render(), /relay_bus_handler_errors_total\{topic="topic"\} 4/);
});

test('stopping aborts the batch, waits for its handler, and commits what it answers', async (t) => {
  const gate = Promise.withResolvers<Outcome[]>();
  let aborted = false;
  const { clock, partition, commits } = start(2, ({ signal }) => {
    signal.addEventListener('abort', () => (aborted = true));
    return gate.promise;
  });
  await clock.advance(0);
  let stopped = false;
  const stopping = partition.stop(5_000).then(() => (stopped = true));
  await clock.advance(4_999);
  t.true(aborted);
  t.false(stopped);
  gate.resolve(done(2));
  await stopping;
  t.deepEqual(commits, [2n]);
});

test('what a handler answers after the deadline changes nothing any more', async (t) => {
  const gate = Promise.withResolvers<Outcome[]>();
  const { clock, partition, commits, deadLettered } = start(2, () => gate.promise);
  await clock.advance(0);
  const stopping = partition.stop(1_000);
  await clock.advance(1_000);
  await stopping;
  gate.resolve([dead, dead]);
  await clock.advance(60_000);
  t.deepEqual(commits, []);
  t.deepEqual(deadLettered, []);
});

test('what a handler has done after the deadline is not committed: the partition may have another owner', async (t) => {
  const gate = Promise.withResolvers<Outcome[]>();
  const { clock, partition, commits } = start(2, () => gate.promise);
  await clock.advance(0);
  const stopping = partition.stop(1_000);
  await clock.advance(1_000);
  await stopping;
  gate.resolve(done(2));
  await clock.advance(60_000);
  t.deepEqual(commits, []);
});

test('a handler that throws because it was told to stop is not blamed', async (t) => {
  const { clock, partition, lines, commits } = start(
    1,
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  await clock.advance(0);
  await partition.stop(1_000);
  t.deepEqual(commits, []);
  t.false(lines.some(({ msg }) => msg === 'a handler failed unexpectedly'));
});

test('a stopped partition starts nothing, whatever it is told', async (t) => {
  let calls = 0;
  const { clock, partition, records } = start(0, async (batch) => {
    calls += 1;
    return done(batch.records.length);
  });
  await clock.advance(0);
  await partition.stop(0);
  records.push(recordAt(0));
  partition.notify();
  partition.wake();
  await clock.advance(10_000);
  t.is(calls, 0);
  t.is(clock.pending(), 0);
});

for (const [maxAhead, passed] of [
  [1_000, []],
  [Infinity, [2_999n]],
] as const)
  test(`a bound of ${maxAhead} decides how far others get past a lane that waits`, async (t) => {
    const seen: bigint[] = [];
    const { clock, partition, records, commits } = start(
      2_999,
      async (batch) => {
        if (batch.lane === 'stuck') return batch.records.map(() => ({ kind: 'retry', afterMs: 600_000 }));
        seen.push(...batch.records.map(({ offset }) => offset));
        return done(batch.records.length);
      },
      { lane: ({ key }) => (key === 'free' ? 'free' : 'stuck'), maxAhead },
    );
    records.push({ ...recordAt(2_999), key: 'free' });
    for (let n = 0; n < 20; n += 1) await clock.advance(1_000);
    t.deepEqual(seen, passed);
    t.deepEqual(commits, []);
    await partition.stop(0);
  });

test('whether a lane has undone records is not known before the end of the partition is read, whatever is read again in front of it', async (t) => {
  const state = { away: true };
  const { clock, partition, records } = start(
    4,
    async (batch) =>
      state.away ? batch.records.map(() => ({ kind: 'retry', afterMs: 1_000 })) : done(batch.records.length),
    { lane: ({ key }) => key, maxAhead: 2 },
  );
  records.push({ ...recordAt(4), key: 'last' });
  await clock.advance(5_500);
  t.deepEqual([partition.undone.has('k'), partition.undone.has('last')], [true, null]);
  state.away = false;
  await clock.advance(1_000);
  t.deepEqual([partition.undone.has('k'), partition.undone.has('last')], [false, false]);
  await partition.stop(0);
});

test('while records cannot be fetched the oldest one is as old as that at least, and lag tells what was not fetched', async (t) => {
  const { clock, faults, partition, records } = start(2, async (batch) => done(batch.records.length));
  await clock.advance(0);
  t.deepEqual([partition.oldest(), partition.failingMs(), await partition.lag()], [null, 0, 0]);
  faults.fetch = new RelayError('bus_unavailable', { details: { reason: 'gone' } });
  records.push({ ...recordAt(2), timestamp: clock.now() });
  const began = clock.now();
  partition.notify();
  await clock.advance(45_000);
  t.is(partition.failingMs(), 45_000);
  t.is(partition.oldest(), began);
  t.is(await partition.lag(), 1);
  t.false(canFetch(partition));
  delete faults.fetch;
  await clock.advance(1_000);
  t.deepEqual([partition.oldest(), partition.failingMs(), await partition.lag()], [null, 0, 0]);
  t.true(canFetch(partition));
  faults.failingSince = clock.monotonic() - 5_000;
  t.is(partition.oldest(), null);
  faults.failingSince = clock.monotonic() - 6_000;
  t.is(partition.oldest(), clock.now() - 6_000);
  t.true(canFetch(partition));
});

test('a handler that cannot work because a topic or a store is away gives up no record, and is told of', async (t) => {
  const state = { away: true, calls: 0 };
  const { clock, deadLettered, commits, lines, metrics } = start(3, async ({ records }) => {
    state.calls += 1;
    if (state.away) throw new RelayError('bus_topic_unknown', { details: { topic: 'source-events-parked' } });
    return done(records.length);
  });
  await clock.advance(600_000);
  t.true(state.calls > 100);
  t.deepEqual([deadLettered, commits], [[], []]);
  t.true(lines.some(({ level }) => level === 'error'));
  t.regex(await metrics.render(), /relay_bus_handler_errors_total\{topic="topic"\} [1-9]/);
  state.away = false;
  await clock.advance(1_000);
  t.deepEqual([deadLettered, commits], [[], [3n]]);
});
