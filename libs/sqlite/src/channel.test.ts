import { fc, testProp } from '@fast-check/ava';
import { RelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createChannel, createDeadlines } from './channel.ts';
import type { SqlWrite } from './port.ts';
import type { BatchRequest, BatchResult } from './protocol.ts';

const startDeadlines = () => {
  const clock = manualClock();
  const expired: string[] = [];
  return { clock, expired, deadlines: createDeadlines<string>(clock, (item) => expired.push(item)) };
};

test('an item expires at its time and not before', async (t) => {
  const { clock, expired, deadlines } = startDeadlines();
  deadlines.add('a', 100);
  await clock.advance(99);
  t.deepEqual(expired, []);
  await clock.advance(1);
  t.deepEqual(expired, ['a']);
});

test('an earlier time given later is kept', async (t) => {
  const { clock, expired, deadlines } = startDeadlines();
  deadlines.add('late', 1_000);
  deadlines.add('early', 10);
  await clock.advance(10);
  t.deepEqual(expired, ['early']);
  await clock.advance(990);
  t.deepEqual(expired, ['early', 'late']);
});

test('an answered item does not expire', async (t) => {
  const { clock, expired, deadlines } = startDeadlines();
  deadlines.add('a', 10);
  deadlines.add('b', 10);
  deadlines.delete('a');
  await clock.advance(10);
  t.deepEqual(expired, ['b']);
});

test('clearing answers what waited and leaves no timer', (t) => {
  const { clock, deadlines } = startDeadlines();
  deadlines.add('a', 10);
  deadlines.add('b', 20);
  t.is(clock.pending(), 1);
  t.deepEqual(deadlines.clear(), ['a', 'b']);
  t.is(clock.pending(), 0);
});

testProp(
  'each item expires at the first turn of its time',
  [fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 30 })],
  async (t, times) => {
    const clock = manualClock();
    const seen = new Map<number, number>();
    const deadlines = createDeadlines<number>(clock, (item) => seen.set(item, clock.monotonic()));
    for (const [index, ms] of times.entries()) deadlines.add(index, ms);
    await clock.advance(500);
    t.deepEqual(
      times.map((_, index) => seen.get(index)),
      times,
    );
  },
  { numRuns: 50 },
);

const turn = () => new Promise((resolve) => setImmediate(resolve));
const unit = (word: string): readonly SqlWrite[] => [{ sql: word, params: [[]] }];
const query = (sql: string) => ({ sql, params: [] });

const start = () => {
  const clock = manualClock();
  const sent: BatchRequest[] = [];
  const channel = createChannel(clock, (batch) => sent.push(batch));
  return { clock, sent, channel };
};

const answerTo = ({ units, reads }: BatchRequest): BatchResult => ({
  units: units.map(() => ({ rows: null })),
  reads: reads.map(({ sql }) => ({ rows: [{ sql }] })),
});

const shape = (batches: readonly BatchRequest[]) =>
  batches.map(({ units, reads }) => [...units.map((u) => u[0]?.sql), ...reads.map(({ sql }) => `? ${sql}`)]);

test('calls of one turn travel in one batch, writes first', async (t) => {
  const { sent, channel } = start();
  void channel.read(query('x'), 100);
  void channel.write(unit('a'), 100);
  void channel.write(unit('b'), 100);
  await turn();
  t.deepEqual(shape(sent), [['a', 'b', '? x']]);
});

test('while a batch is in flight the next one fills', async (t) => {
  const { sent, channel } = start();
  const first = channel.write(unit('a'), 100);
  await turn();
  void channel.write(unit('b'), 100);
  await turn();
  void channel.write(unit('c'), 100);
  await turn();
  t.deepEqual(shape(sent), [['a']]);
  channel.answered(answerTo(sent[0] as BatchRequest));
  t.deepEqual(await first, { rows: null });
  await turn();
  t.deepEqual(shape(sent), [['a'], ['b', 'c']]);
});

test('each call gets its own answer', async (t) => {
  const { sent, channel } = start();
  const answers = Promise.all([
    channel.read(query('x'), 100),
    channel.write(unit('a'), 100),
    channel.read(query('y'), 100),
  ]);
  await turn();
  channel.answered({
    units: [{ failure: { kind: 'full', problem: 'p' } }],
    reads: [{ rows: [{ n: 1 }] }, { rows: [] }],
  });
  t.deepEqual(await answers, [{ rows: [{ n: 1 }] }, { failure: { kind: 'full', problem: 'p' } }, { rows: [] }]);
  t.is(sent.length, 1);
});

test('a batch holds at most 1000 calls', async (t) => {
  const { sent, channel } = start();
  for (let i = 0; i < 1_500; i += 1) void channel.write(unit(String(i)), 100);
  await turn();
  channel.answered(answerTo(sent[0] as BatchRequest));
  await turn();
  t.deepEqual(
    sent.map(({ units }) => units.length),
    [1_000, 500],
  );
});

test('a call that expired before it travelled is not sent', async (t) => {
  const { clock, sent, channel } = start();
  void channel.write(unit('a'), 1_000);
  await turn();
  const late = t.throwsAsync<RelayError>(channel.write(unit('late'), 10));
  void channel.write(unit('b'), 1_000);
  await clock.advance(10);
  const error = await late;
  t.is(error?.code, 'deadline_exceeded');
  t.true(error?.ambiguous);
  channel.answered(answerTo(sent[0] as BatchRequest));
  await turn();
  t.deepEqual(shape(sent), [['a'], ['b']]);
});

test('an answer to a call that expired in flight is dropped', async (t) => {
  const { clock, sent, channel } = start();
  const late = t.throwsAsync<RelayError>(channel.write(unit('a'), 10));
  await turn();
  await clock.advance(10);
  await late;
  channel.answered(answerTo(sent[0] as BatchRequest));
  const next = channel.write(unit('b'), 10);
  await turn();
  channel.answered(answerTo(sent[1] as BatchRequest));
  t.deepEqual(await next, { rows: null });
});

test('a failed channel rejects what is in flight and what waits', async (t) => {
  const { channel } = start();
  const inFlight = t.throwsAsync<RelayError>(channel.write(unit('a'), 100));
  await turn();
  const waiting = t.throwsAsync<RelayError>(channel.read(query('x'), 100));
  channel.fail(new RelayError('store_closed'));
  t.is((await inFlight)?.code, 'store_closed');
  t.is((await waiting)?.code, 'store_closed');
});

test('idle resolves when nothing waits and nothing is in flight', async (t) => {
  const { sent, channel } = start();
  void channel.write(unit('a'), 100);
  let idle = false;
  const waiting = channel.idle().then(() => (idle = true));
  await turn();
  t.false(idle);
  channel.answered(answerTo(sent[0] as BatchRequest));
  await waiting;
  t.true(idle);
});

test('a batch that cannot be sent rejects its calls, and the next batch goes', async (t) => {
  const sent: BatchRequest[] = [];
  let broken = true;
  const channel = createChannel(manualClock(), (batch) => {
    if (broken) throw new TypeError('cannot be cloned');
    sent.push(batch);
  });
  const error = await t.throwsAsync<RelayError>(channel.write(unit('a'), 100));
  t.is(error?.code, 'internal');
  broken = false;
  void channel.write(unit('b'), 100);
  await turn();
  t.deepEqual(shape(sent), [['b']]);
});
