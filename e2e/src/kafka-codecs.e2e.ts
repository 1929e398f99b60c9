import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTopicAdmin } from '@ranger-relay/bus/kafka';
import { setTopicSettings } from '@ranger-relay/bus/testing';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { consume, openReadyBus, settingsFor } from './harness/kafka/bus.ts';
import { startKafka, type KafkaCluster } from './harness/kafka/index.ts';

const codecs = ['uncompressed', 'gzip', 'snappy', 'lz4', 'zstd', 'producer'] as const;
/** Number of a codec in the attributes of a batch. */
const numbers: Readonly<Record<string, number>> = { gzip: 1, snappy: 2, lz4: 3, zstd: 4 };
const topics = codecs.map((codec) => ({
  name: codec,
  partitions: 2,
  retentionMs: 86_400_000,
  maxRecordBytes: 1_048_576,
}));

let kafka: KafkaCluster;

test.before(async () => {
  kafka = await startKafka();
});
test.after.always(() => kafka?.remove());

/** Codecs of the batches that a topic's files hold. */
const codecsOnDisk = (data: string, topic: string): number[] =>
  readdirSync(data)
    .filter((folder) => folder.startsWith(`${topic}-`))
    .map((folder) => readFileSync(join(data, folder, '00000000000000000000.log')))
    .flatMap((log) => {
      const found: number[] = [];
      for (let at = 0; at + 61 <= log.length; at += 12 + log.readInt32BE(at + 8))
        found.push(log.readInt16BE(at + 21) & 7);
      return found;
    });

const formOf = ({ key, value, headers }: { key: string; value: Uint8Array; headers: object }): string =>
  JSON.stringify([key, Buffer.from(value).toString('base64'), headers]);

test.serial(
  'a topic that compresses in any way is written and read back byte for byte, by readers and by groups',
  async (t) => {
    const settings = settingsFor(kafka, 'c.');
    const { log } = testContext();
    const admin = openTopicAdmin(settings, topics, { log, clock: systemClock });
    t.teardown(() => admin.close());
    await admin.create();
    const compression = Object.fromEntries(codecs.map((codec) => [codec, { 'compression.type': codec }]));
    await setTopicSettings(settings, compression, log);
    const found = (await admin.check()).flatMap(({ problems }) => problems);
    t.deepEqual(found, []);
    const bus = await openReadyBus(t, { settings, topics });
    const sent = Array.from({ length: 400 }, (_, index) => ({
      key: `k${index % 7}`,
      value: index === 17 ? randomBytes(300_000) : Buffer.from(`${index} `.repeat(1 + ((index * 37) % 900))),
      headers: { traceparent: `t${index}` },
    }));
    const wanted = sent.map(formOf).toSorted();
    for (const codec of codecs) {
      for (let from = 0; from < sent.length; from += 50) await bus.publish(codec, sent.slice(from, from + 50));
      const read: string[] = [];
      for await (const record of bus.read({ topic: codec })) read.push(formOf(record));
      t.deepEqual(read.toSorted(), wanted, codec);
      const consumed = await consume(bus, codec, sent.length);
      t.deepEqual(consumed.map(formOf).toSorted(), wanted, codec);
      const onDisk = codecsOnDisk(join(kafka.brokers[0]?.config.dir ?? '', 'data'), `c.${codec}`);
      t.deepEqual([...new Set(onDisk)], [numbers[codec] ?? 0], codec);
    }
  },
);
