import test from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, seededRandom, testContext } from '@ranger-relay/runtime/testing';
import { storedOf } from '../../port.ts';
import { Brokers, type Fate } from '../test/brokers.ts';
import { createPublisher } from './publish.ts';
import { createSender } from './sender.ts';

const harness = (topics: Readonly<Record<string, number>> = { topic: 1 }, nodes = 1) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const brokers = new Brokers(clock, seededRandom(1), topics, nodes);
  const metadata = brokers.metadata();
  const sender = createSender({ metadata, clock, log });
  const { metrics } = testContext();
  const publisher = createPublisher({ metadata, sender, clock, metrics, maxRecordBytes: () => 1_000_000 });
  const said = (level: string): number => lines.filter((line) => line['level'] === level).length;
  /** In small steps, for work between two timers takes turns of its own. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 5) await clock.advance(Math.min(5, left));
  };
  const publish = (value: string, deadlineMs?: number, topic = 'topic', key = 'k') =>
    publisher.publish(topic, [{ key, value }], deadlineMs === undefined ? {} : { deadlineMs });
  return {
    clock,
    pass,
    brokers,
    metadata,
    sender,
    publisher,
    publish,
    said,
    stored: (key = 'topic 0') => brokers.texts.get(key) ?? [],
  };
};

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'stored',
    (error: RelayError) => error.code,
  );

for (const fate of ['lost before', 'lost after', 'hangs before', 'hangs after'] as const satisfies readonly Fate[])
  test(`a request that is ${fate} it was stored is made again, and later calls wait behind it`, async (t) => {
    const { pass, brokers, publish, stored } = harness();
    const fates: Fate[] = [fate];
    brokers.fateOf = () => fates.shift() ?? 'well';
    const calls = [codeOf(publish('a')), pass(20).then(() => codeOf(publish('b')))];
    await pass(3_000);
    t.deepEqual(await Promise.all(calls), ['stored', 'stored']);
    t.deepEqual([...new Set(stored())], ['a', 'b']);
  });

test('calls that wait for their topic are stored in the order in which they came', async (t) => {
  const { pass, brokers, publish, stored } = harness();
  brokers.away.add(0);
  const calls = [];
  for (const value of ['a', 'b', 'c']) {
    calls.push(publish(value));
    await pass(55);
    if (value === 'b') brokers.away.clear();
  }
  await pass(1_000);
  await Promise.all(calls);
  t.deepEqual(stored(), ['a', 'b', 'c']);
});

test('a call that ends while its broker is being reached is not sent, and says so', async (t) => {
  const { pass, brokers, publish, stored } = harness();
  await Promise.all([publish('first'), pass(100)]);
  brokers.latency = () => 500;
  const late = t.throwsAsync<RelayError>(publish('late', 100));
  await pass(5_000);
  t.false((await late)?.ambiguous);
  t.deepEqual(stored(), ['first']);
});

test('a record that the broker finds too large fails its own call, and no other', async (t) => {
  const { pass, brokers, publish, stored } = harness();
  brokers.maxBatchBytes = 1_000;
  const codes = Promise.all([publish('a'), publish('x'.repeat(2_000)), publish('b')].map(codeOf));
  await pass(3_000);
  t.deepEqual(await codes, ['stored', 'record_too_large', 'stored']);
  t.deepEqual(stored(), ['a', 'b']);
});

test('of a call with a record that the broker finds too large, the records before it are stored, and the error tells how many', async (t) => {
  const { pass, brokers, publisher, stored } = harness();
  brokers.maxBatchBytes = 1_000;
  const values = [...Array.from({ length: 20 }, (_, i) => `${i} ${'x'.repeat(100)}`), 'x'.repeat(2_000), 'behind'];
  const records = values.map((value) => ({ key: 'k', value }));
  const call = t.throwsAsync<RelayError>(publisher.publish('topic', records));
  await pass(3_000);
  t.is(storedOf((await call) ?? { details: {} }), 20);
  t.deepEqual(stored(), values.slice(0, 20));
});

test('a call whose records fit alone is stored however little the broker takes at once', async (t) => {
  const { pass, brokers, publisher, stored } = harness();
  brokers.maxBatchBytes = 1_000;
  const values = Array.from({ length: 60 }, (_, i) => `${i} ${'x'.repeat(100)}`);
  const call = publisher.publish(
    'topic',
    values.map((value) => ({ key: 'k', value })),
  );
  await pass(3_000);
  await call;
  t.deepEqual(stored(), values);
  const before = brokers.produced;
  await Promise.all([...values.map((value) => publisher.publish('topic', [{ key: 'k', value }])), pass(3_000)]);
  t.deepEqual(stored(), [...values, ...values]);
  t.true(brokers.produced - before < 20, 'it learns what fits, and does not send one by one');
});

test('a broker that hangs, and a partition without a leader, hold no other partition up', async (t) => {
  const { pass, brokers, publish, stored } = harness({ hung: 1, free: 1, headless: 1 }, 3);
  brokers.of('free', 0).leader = 1;
  brokers.of('headless', 0).leader = 2;
  brokers.look();
  for (const topic of ['hung', 'free', 'headless']) await Promise.all([publish('0', 4_000, topic), pass(50)]);
  brokers.of('headless', 0).leader = -1;
  brokers.look();
  brokers.fateOf = () => 'hangs before';
  const waiting = ['hung', 'headless'].map((topic) => codeOf(publish('1', 1_500, topic)));
  await pass(20);
  brokers.fateOf = () => 'well';
  for (let i = 1; i <= 10; i += 1) {
    const call = publish(String(i), 100, 'free');
    await pass(40);
    await call;
  }
  t.is(stored('free 0').length, 11);
  await pass(1_500);
  t.deepEqual(await Promise.all(waiting), ['deadline_exceeded', 'bus_unavailable']);
});

test('a failure is told once and forgotten when it is over, also when nobody publishes any more', async (t) => {
  const { pass, brokers, publish, sender, said } = harness();
  await Promise.all([publish('first'), pass(50)]);
  brokers.away.add(0);
  const calls = Array.from({ length: 20 }, (_, i) => codeOf(publish(String(i))));
  await pass(4_100);
  t.deepEqual([...new Set(await Promise.all(calls))], ['bus_unavailable']);
  t.regex(sender.failures().get('topic') ?? '', /^Closed connection/);
  t.is(said('warn'), 1);
  await pass(6_000);
  t.is(sender.failures().size, 0);
  brokers.away.clear();
  await Promise.all([publish('last'), pass(100)]);
  t.is(said('info'), 1);
});

test('a topic that may not be written to shows as a failure of that topic alone, and its lines do not flood beside one that may', async (t) => {
  const { pass, brokers, publish, sender, said } = harness({ mine: 1, theirs: 1 });
  brokers.codes.set('theirs 0', 29);
  for (let i = 0; i < 30; i += 1) {
    const calls = [codeOf(publish('v', 1_000, 'mine')), codeOf(publish('v', 1_000, 'theirs'))];
    await pass(300);
    t.deepEqual(await Promise.all(calls), ['stored', 'bus_unavailable']);
  }
  t.deepEqual([...sender.failures().keys()], ['theirs']);
  t.regex(sender.failures().get('theirs') ?? '', /Not authorized/);
  t.is(said('warn') + said('info'), 1);
});

test('a code that nobody knows refuses the call and stops nothing', async (t) => {
  const { pass, brokers, publish } = harness();
  brokers.codes.set('topic 0', 9_999);
  const code = codeOf(publish('a', 1_000));
  await pass(1_100);
  t.is(await code, 'bus_unavailable');
  brokers.codes.clear();
  await Promise.all([publish('b'), pass(500)]);
});

test('an outage without a leader keeps nothing of calls that are over', async (t) => {
  const { pass, brokers, publish, sender } = harness();
  await Promise.all([publish('first'), pass(50)]);
  brokers.of('topic', 0).leader = -1;
  brokers.look();
  const calls = Array.from({ length: 5 }, (_, i) => codeOf(publish(String(i), 200)));
  await pass(1_000);
  await Promise.all(calls);
  let idle = false;
  void sender.idle().then(() => (idle = true));
  await pass(500);
  t.true(idle);
});

test('closing waits for what is under way, fails the rest, and leaves no timer behind', async (t) => {
  const { clock, pass, brokers, publish, publisher } = harness();
  const first = codeOf(publish('a'));
  await pass(7);
  const closing = publisher.close(3_000);
  t.is(await codeOf(publish('late')), 'bus_unavailable');
  await pass(100);
  await closing;
  t.is(await first, 'stored');
  t.is(clock.pending(), 0);
  brokers.away.add(0);
});

test('closing ends by its deadline with the brokers away, and nobody asks for them any more', async (t) => {
  const { clock, pass, brokers, publish, publisher } = harness();
  await Promise.all([publish('first'), pass(50)]);
  brokers.away.add(0);
  const call = codeOf(publish('a', 60_000));
  const closing = publisher.close(1_000);
  await pass(1_000);
  await closing;
  t.is(await call, 'bus_unavailable');
  await pass(1_000);
  const { refreshes } = brokers;
  await pass(10_000);
  t.is(brokers.refreshes, refreshes);
  t.is(clock.pending(), 0);
});

test('a topic that the brokers do not know yet is waited for, each call until its deadline, also after an outage', async (t) => {
  const { pass, brokers, publish, stored } = harness();
  const [patient, hasty] = [codeOf(publish('v', 4_000, 'new')), codeOf(publish('v', 100, 'new'))];
  await pass(160);
  t.is(await hasty, 'bus_topic_unknown');
  brokers.away.add(0);
  await pass(2_000);
  brokers.away.clear();
  await pass(1_000);
  brokers.add('new', 1);
  await pass(500);
  t.is(await patient, 'stored');
  t.deepEqual(stored('new 0'), ['v']);
  const missing = codeOf(publish('v', 4_000, 'nowhere'));
  await pass(4_200);
  t.is(await missing, 'bus_topic_unknown');
});

test('a machine whose clock is ahead of the broker’s is told both times', async (t) => {
  const { pass, brokers, publish, clock } = harness();
  brokers.codes.set('topic 0', 32);
  const latest = clock.now() - 3_600_000;
  brokers.detail = `Timestamp ${clock.now()} of message with offset 0 is out of range. The timestamp should be within [0, ${latest}]`;
  const said = publish('a').catch((error: Error) => error.message);
  await pass(50);
  const text = String(await said);
  t.regex(text, /the clock of this machine says .*, and the broker takes records up to .* by its own clock/);
  for (const ms of [clock.now() - (clock.now() % 1_000), latest])
    t.true(text.includes(new Date(ms).toISOString().slice(0, 19)), text);
});

test('calls over the bound on what waits are refused at once', async (t) => {
  const { clock, pass, brokers, publisher } = harness();
  brokers.away.add(0);
  const large = { key: 'k', value: Buffer.alloc(900_000) };
  const calls = Array.from({ length: 76 }, () => codeOf(publisher.publish('topic', [large], { deadlineMs: 1_000 })));
  const refused = await Promise.race([calls.at(-1), clock.advance(0)]);
  t.is(refused, 'bus_unavailable');
  await pass(1_100);
  await Promise.all(calls);
  brokers.away.clear();
  await Promise.all([publisher.publish('topic', [large]), pass(500)]);
});
