import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom, silentLogger, testContext } from '@ranger-relay/runtime/testing';
import { Brokers, type Fate } from '../test/brokers.ts';
import { partitionOf } from '../../partitioner.ts';
import { createPublisher } from './publish.ts';
import { createSender } from './sender.ts';

const partitions = 4;
const sweepMs = 50;
const fates: readonly Fate[] = ['lost before', 'lost after', 'hangs before', 'hangs after'];

const call = fc.record({
  afterMs: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 300 })),
  keys: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 6 }),
  deadlineMs: fc.constantFrom(100, 1_000, 4_000, 9_000),
  padding: fc.constantFrom(0, 0, 500),
});
const weather = fc.record({
  bad: fc.constantFrom(0, 0.1, 0.5),
  refusals: fc.constantFrom(0, 0.1),
  moves: fc.constantFrom(0, 0.3, 2),
  maxBatchBytes: fc.constantFrom(1_048_588, 1_500),
  outage: fc.option(fc.record({ from: fc.nat({ max: 3_000 }), ms: fc.nat({ max: 6_000 }) })),
});

interface Made {
  readonly id: number;
  readonly texts: ReadonlyMap<number, readonly string[]>;
  readonly madeAt: number;
  readonly deadlineMs: number;
  endedAt: number | null;
  error: unknown;
}

testProp(
  'whatever brokers do: what resolved is stored, in the order of the calls; a call ends in time; what was not sent never comes',
  [fc.array(call, { minLength: 1, maxLength: 40, size: 'max' }), weather, fc.nat()],
  async (t, calls, { bad, refusals, moves, maxBatchBytes, outage }, seed) => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    const clock = manualClock();
    const random = seededRandom(seed);
    const brokers = new Brokers(clock, random, { topic: partitions }, 3);
    Object.assign(brokers, { refusals, maxBatchBytes });
    brokers.latency = () => (random.next() < 0.7 ? 5 : Math.floor(random.next() * 600));
    brokers.fateOf = () => (random.next() < bad ? (fates[Math.floor(random.next() * 4)] as Fate) : 'well');
    const metadata = brokers.metadata();
    const sender = createSender({ metadata, clock, log: silentLogger() });
    const { metrics } = testContext();
    const publisher = createPublisher({ metadata, sender, clock, metrics, maxRecordBytes: () => 1_000_000 });
    const made: Made[] = [];

    const publish = ({ keys, deadlineMs, padding }: (typeof calls)[number]): void => {
      const id = made.length;
      const records = keys.map((key, i) => ({ key, value: `${id}.${i}.${'x'.repeat(padding)}` }));
      const texts = Map.groupBy(records, ({ key }) => partitionOf(key, partitions));
      const one: Made = {
        id,
        texts: new Map([...texts].map(([partition, its]) => [partition, its.map(({ value }) => value)])),
        madeAt: clock.monotonic(),
        deadlineMs,
        endedAt: null,
        error: undefined,
      };
      made.push(one);
      void publisher
        .publish('topic', records, { deadlineMs })
        .catch((error: unknown) => (one.error = error))
        .finally(() => (one.endedAt = clock.monotonic()));
    };

    const step = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 20) {
        const now = clock.monotonic();
        for (const partition of brokers.partitions.values())
          if (random.next() < moves / 10) partition.leader = Math.floor(random.next() * 4) - 1;
        brokers.away.clear();
        if (outage && now >= outage.from && now < outage.from + outage.ms)
          for (const n of [0, 1, 2]) brokers.away.add(n);
        await clock.advance(Math.min(left, 20));
      }
    };
    for (const each of calls) {
      await step(each.afterMs);
      publish(each);
    }
    await step(9_500);
    for (const { id, endedAt, madeAt, deadlineMs } of made)
      t.true(endedAt !== null && endedAt <= madeAt + deadlineMs + sweepMs, `call ${id} ended at ${endedAt}`);

    const places = new Map(
      [...brokers.texts].flatMap(([, texts]) => texts.map((text, at) => [text, at] as const).toReversed()),
    );
    for (const { id, texts, error } of made)
      for (const its of texts.values()) {
        const found = its.map((text) => places.get(text));
        if (error === undefined) t.false(found.includes(undefined), `call ${id} resolved and is not stored wholly`);
        else if (!isRelayError(error) || !error.ambiguous)
          t.true(isRelayError(error) && found.every((at) => at === undefined), `call ${id} was not sent, but came`);
      }
    for (let partition = 0; partition < partitions; partition += 1) {
      const firsts = made.flatMap(({ texts }) => texts.get(partition) ?? []).flatMap((text) => places.get(text) ?? []);
      t.deepEqual(
        firsts,
        firsts.toSorted((a, b) => a - b),
      );
    }

    if (bad + refusals + moves === 0 && !outage)
      for (const { id, error, deadlineMs } of made)
        if (deadlineMs >= 9_000) t.is(error, undefined, `call ${id} failed although all was well`);

    let idle = false;
    void sender.idle().then(() => (idle = true));
    brokers.fateOf = () => 'well';
    for (const partition of brokers.partitions.values()) partition.leader = 0;
    await clock.advance(3_000);
    t.true(idle);
    t.is(clock.pending(), 0);
    process.off('unhandledRejection', onRejection);
    t.deepEqual(rejections, []);
  },
  { numRuns: 150 },
);
