import test from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, seededRandom, testContext } from '@ranger-relay/runtime/testing';
import { Brokers } from '../test/brokers.ts';
import { withAttributes } from '../test/wire.ts';
import { encodeBatch } from '../wire/record-batch.ts';
import { createFetcher, OutOfRange, TopicRecreated } from './fetcher.ts';
import { createUnreadable } from './unreadable.ts';

const never = new AbortController().signal;
const kib = 1_024;

const nameOf = (topic: string): string => topic;

const harness = (topics: Readonly<Record<string, number>> = { topic: 2 }, nodes = 1) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const brokers = new Brokers(clock, seededRandom(1), topics, nodes);
  const { metrics } = testContext();
  const unreadable = createUnreadable(clock, log, metrics);
  const fetcher = createFetcher({ metadata: brokers.metadata(), clock, log, nameOf, unreadable });
  const put = (partition: number, ...values: readonly string[]): void =>
    brokers.store(
      'topic',
      partition,
      encodeBatch(
        values.map((value) => ({ key: 'k', value })),
        1,
      ),
      values.length,
    );
  const look = (
    partition: number,
    from: bigint,
    more: { maxBytes?: number; patient?: boolean; tolerant?: boolean; once?: boolean } = {},
    signal = never,
  ) => fetcher.fetch({ topic: 'topic', partition, from, maxBytes: 1_048_576, ...more }, signal);
  /** In small steps, for work between two timers takes turns of its own. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 5) await clock.advance(Math.min(5, left));
  };
  const during = async <T>(work: Promise<T>, ms = 1_000): Promise<T> => (await Promise.all([work, pass(ms)]))[0];
  const said = (level: string): number => lines.filter((line) => line['level'] === level).length;
  return { clock, brokers, fetcher, put, look, pass, during, said, lines, metrics };
};

test('what is there comes at once, and where to go on', async (t) => {
  const { put, look, during } = harness();
  put(0, 'a', 'b', 'c');
  const { records, end, next } = await during(look(0, 1n), 50);
  t.deepEqual(
    records.map(({ offset }) => offset),
    [1n, 2n],
  );
  t.deepEqual([end, next], [3n, 3n]);
});

test('with nothing new a look ends after a short wait, a patient one stands until there is something', async (t) => {
  const { put, look, pass, during } = harness();
  t.is((await during(look(0, 0n))).records.length, 0);
  let came = 0;
  void look(1, 0n, { patient: true }).then(({ records }) => (came = records.length));
  await pass(2_000);
  t.is(came, 0);
  put(1, 'a');
  await pass(600);
  t.is(came, 1);
});

test('a batch that does not fit beside others is not taken for nothing', async (t) => {
  const { put, look, during } = harness();
  put(0, 'x'.repeat(100 * kib));
  put(1, 'y'.repeat(100 * kib));
  const pages = await during(Promise.all([look(0, 0n, { maxBytes: kib }), look(1, 0n, { maxBytes: kib })]));
  t.deepEqual(
    pages.map(({ records }) => records.length),
    [1, 1],
  );
});

test('a batch that does not fit gets its turn although another partition always has more', async (t) => {
  const { put, look, pass } = harness();
  for (let i = 0; i < 200; i += 1) put(0, String(i));
  put(1, 'y'.repeat(100 * kib));
  const reader = { busy: true };
  const reading = (async () => {
    for (let from = 0n; reader.busy;) from = (await look(0, from % 200n, { maxBytes: 1 })).next;
  })();
  let came = 0;
  void look(1, 0n, { maxBytes: kib }).then(({ records }) => (came = records.length));
  await pass(200);
  t.is(came, 1);
  reader.busy = false;
  await Promise.all([reading, pass(200)]);
});

test('marks of transactions are passed, not asked for again and again', async (t) => {
  const { brokers, look, pass, during } = harness();
  const marks = withAttributes(encodeBatch([{ key: '', value: '' }], 1), 0x20);
  brokers.store('topic', 0, marks, 1);
  t.like(await during(look(0, 0n)), { records: [], next: 1n, end: 1n });
  void look(0, 0n, { patient: true });
  const before = brokers.fetched;
  await pass(2_000);
  t.true(brokers.fetched - before <= 9);
});

test('an offset that the broker does not have is out of range', async (t) => {
  const { put, look, during } = harness();
  put(0, 'a');
  await during(t.throwsAsync(look(0, 5n), { instanceOf: OutOfRange }));
});

test('aborting ends a look at once with its reason, whatever the broker does, and leaves no listener', async (t) => {
  const { brokers, look, pass } = harness();
  const stop = new AbortController();
  const looks = [look(0, 0n, { patient: true }, stop.signal), look(1, 0n, {}, stop.signal)];
  await pass(20);
  brokers.away.add(0);
  stop.abort(new DOMException('enough', 'AbortError'));
  for (const each of looks) await t.throwsAsync(each, { message: 'enough' });
  await t.throwsAsync(look(0, 0n, {}, stop.signal), { message: 'enough' });
});

test('leaders that move and brokers that are away only make it take longer', async (t) => {
  const { brokers, put, look, during, pass } = harness({ topic: 2 }, 2);
  put(0, 'a');
  brokers.of('topic', 0).leader = 1;
  t.is((await during(look(0, 0n))).records.length, 1);
  brokers.away.add(0).add(1);
  let came = 0;
  void look(0, 0n).then(({ records }) => (came = records.length));
  await pass(3_000);
  t.is(came, 0);
  brokers.away.clear();
  await pass(1_000);
  t.is(came, 1);
});

test('what is asked once ends with the refusal or the outage, without a line, and the next look finds a leader that moved', async (t) => {
  const { brokers, put, look, pass, during, said } = harness({ topic: 2 }, 2);
  put(0, 'a');
  brokers.codes.set('topic 0', 29);
  await during(t.throwsAsync(look(0, 0n, { once: true }), { message: /authorized/ }), 50);
  brokers.codes.clear();
  brokers.of('topic', 0).leader = 1;
  await during(t.throwsAsync(look(0, 0n, { once: true })), 50);
  await pass(1_000);
  t.is((await during(look(0, 0n, { once: true }), 50)).records.length, 1);
  brokers.away.add(0).add(1);
  await during(t.throwsAsync(look(0, 0n, { once: true })), 5_000);
  t.is(said('error') + said('warn'), 0);
});

test('a partition that fails holds no other up, and says so in one line', async (t) => {
  const { brokers, fetcher, put, look, during, said } = harness({ topic: 2 }, 2);
  put(1, 'a');
  brokers.codes.set('topic 0', 29);
  const stop = new AbortController();
  const failing = look(0, 0n, {}, stop.signal);
  failing.catch(() => undefined);
  for (let i = 0; i < 40; i += 1) t.is((await during(look(1, 0n), 50)).records.length, 1);
  t.is(said('warn') + said('info'), 1);
  t.regex(fetcher.failures().get('topic') ?? '', /Not authorized/);
  stop.abort();
});

test('a batch that cannot be read holds its own partition alone, is named once, and is read as soon as it can be', async (t) => {
  const { brokers, fetcher, put, look, during, pass, lines, metrics } = harness();
  put(0, 'before');
  brokers.store('topic', 0, withAttributes(encodeBatch([{ key: 'k', value: 'bad' }], 1), 3), 1);
  put(0, 'behind');
  put(1, 'a');
  t.deepEqual((await during(look(0, 0n), 100)).records.length, 1);
  let came: bigint[] = [];
  void look(0, 1n).then(({ records }) => (came = records.map(({ offset }) => offset)));
  for (let i = 0; i < 40; i += 1) t.is((await during(look(1, 0n), 1_000)).records.length, 1);
  t.deepEqual(came, []);
  t.regex(fetcher.failures().get('topic') ?? '', /partition 0 of topic .* offset 1 \(lz4\)/);
  t.regex(await metrics.render(), /relay_bus_unreadable_partitions\{topic="topic"\} 1/);
  const errors = lines.filter(({ level }) => level === 'error');
  t.is(errors.length, 1);
  t.like(errors[0], { topic: 'topic', partition: 0, offset: '1', codec: 'lz4' });

  const { batches } = brokers.of('topic', 0);
  withAttributes(batches[1]?.bytes ?? Buffer.alloc(0), 0);
  await pass(3_000);
  t.deepEqual(came, [1n, 2n]);
  t.regex(await metrics.render(), /relay_bus_unreadable_partitions\{topic="topic"\} 0/);
  t.is(fetcher.failures().size, 0);
});

test('a tolerant look ends at a batch that cannot be read, and says what lies behind it', async (t) => {
  const { brokers, look, during, lines } = harness();
  brokers.store('topic', 0, withAttributes(encodeBatch([{ key: 'k', value: 'bad' }], 1), 3), 1);
  const { records, next, unreadable } = await during(look(0, 0n, { tolerant: true }), 100);
  t.deepEqual([records, next], [[], 0n]);
  t.like(unreadable, { topic: 'topic', partition: 0, offset: 0n, behind: 1n, codec: 'lz4' });
  t.deepEqual(lines, []);
});

test('closing ends every look, refuses later ones and asks nobody any more', async (t) => {
  const { clock, brokers, fetcher, look, pass } = harness();
  const open = look(0, 0n, { patient: true });
  await pass(50);
  fetcher.close();
  t.is((await t.throwsAsync<RelayError>(open))?.code, 'bus_unavailable');
  t.is((await t.throwsAsync<RelayError>(look(0, 0n)))?.code, 'bus_unavailable');
  await pass(1_000);
  const { fetched } = brokers;
  await pass(5_000);
  t.is(brokers.fetched, fetched);
  t.is(clock.pending(), 0);
});

for (const patient of [false, true])
  test(`a fetch of a topic that is deleted and created again ends, and reads nothing of the new one: patient ${patient}`, async (t) => {
    const { brokers, put, look, pass } = harness({ topic: 1 });
    put(0, 'a', 'b');
    const waiting = t.throwsAsync(look(0, 2n, { patient: true }), { instanceOf: TopicRecreated });
    await pass(100);
    brokers.recreate('topic');
    put(0, 'new a', 'new b', 'new c');
    const later = t.throwsAsync(look(0, 2n, { patient }), { instanceOf: TopicRecreated });
    await pass(1_000);
    await Promise.all([waiting, later]);
  });

test('a fetch waits while its topic is missing, and for brokers that do not know of it yet', async (t) => {
  const { brokers, put, look, pass, fetcher } = harness({ topic: 1 });
  put(0, 'a', 'b');
  brokers.codes.set('topic 0', 100);
  const looking = look(0, 0n);
  await pass(2_000);
  t.regex(fetcher.failures().get('topic 0') ?? [...fetcher.failures().values()].join(), /topic/i);
  brokers.codes.delete('topic 0');
  await pass(1_000);
  t.is((await looking).records.length, 2);
});
