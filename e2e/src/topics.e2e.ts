import type { TopicState, WantedTopic } from '@ranger-relay/bus/kafka';
import { topics } from '@ranger-relay/contracts';
import test from 'ava';
import { createTopics, settingsFor } from './harness/kafka/bus.ts';
import { startKafka, type KafkaCluster } from './harness/kafka/index.ts';
import { run, start, type Finished } from './harness/product.ts';
import { untilPrinted } from './harness/ready.ts';

/** The brokers’ own default counts a record as stored with one copy. */
const careless = ['min.insync.replicas=1'];
let kafka: KafkaCluster;
let installations = 0;

test.before(async () => {
  kafka = await startKafka({ brokers: 3, lines: careless });
});
test.after.always(() => kafka?.remove());

/** The topics of the catalogue, and the commands of both connectors. */
const count = Object.keys(topics).length + 2;

/** An installation of its own on the brokers. */
const fresh = () => {
  installations += 1;
  const env = { KAFKA_BROKERS: kafka.addresses, KAFKA_PREFIX: `i${installations}.` };
  const relay = (...args: readonly string[]): Promise<Finished> => run(['topics', ...args], env);
  const states = async (): Promise<ReadonlyMap<string, TopicState>> => {
    const { stdout, stderr } = await relay('check', '--output', 'json');
    if (stdout === '') throw new Error(stderr);
    return new Map((JSON.parse(stdout) as TopicState[]).map((state) => [state.name, state]));
  };
  /** Topics that existed before. */
  const made = (wanted: readonly WantedTopic[]): Promise<void> =>
    createTopics(settingsFor(kafka, env.KAFKA_PREFIX), wanted);
  return { relay, states, made, prefix: env.KAFKA_PREFIX };
};

test.serial('on fresh brokers everything is made, safely stored, and a repetition changes nothing', async (t) => {
  const { relay, states } = fresh();
  const missing = await relay('check');
  t.is(missing.code, 1);
  t.is(missing.stdout.match(/does not exist/g)?.length, count);

  const first = await relay('apply');
  t.is(first.code, 0, first.stderr);
  t.regex(first.stdout, new RegExp(`${count} topics created, ${count} topics raised`));
  for (const { name, replicas, minInsync, problems } of (await states()).values())
    t.deepEqual([replicas, minInsync, problems], [3, 2, []], name);
  t.is((await relay('check')).code, 0);

  const second = await relay('apply');
  t.is(second.code, 0);
  t.regex(second.stdout, /nothing to do/);
});

test.serial('two at the same time, as two hooks would be, make everything once', async (t) => {
  const { relay } = fresh();
  const both = await Promise.all([relay('apply'), relay('apply')]);
  for (const { code, stdout, stderr } of both) t.is(code, 0, stdout + stderr);
  t.is((await relay('check')).code, 0);
});

test.serial('what keeps too short is raised, other settings stay, and partitions only when asked for', async (t) => {
  const { relay, states, made, prefix } = fresh();
  await made([{ ...topics.deadLetters, partitions: 2, retentionMs: 3_600_000 }]);
  const name = `${prefix}dead-letters`;
  t.is((await states()).get(name)?.problems.length, 3);

  const applied = await relay('apply');
  t.is(applied.code, 0, applied.stderr);
  t.regex(applied.stdout, /dead-letters: retention\.ms is 2592000000 now/);
  t.regex(applied.stdout, /dead-letters has 2 partitions, but 3 are wanted/);
  // A change that took back what it does not name would take records of 1 MiB alone from here on.
  t.like((await states()).get(name), { partitions: 2, isNarrow: true });
  t.is((await states()).get(name)?.problems.length, 1);

  const raised = await relay('apply', '--raise-partitions');
  t.is(raised.code, 0, raised.stdout + raised.stderr);
  t.like((await states()).get(name), { partitions: 3, problems: [] });
});

test.serial('more than what is wanted is left as it is', async (t) => {
  const { relay, states, made, prefix } = fresh();
  await made([{ ...topics.sourceEvents, partitions: 24, retentionMs: 10 * topics.sourceEvents.retentionMs }]);
  t.is((await relay('apply', '--raise-partitions')).code, 0);
  t.like((await states()).get(`${prefix}source-events`), { partitions: 24, problems: [] });
});

test.serial('brokers that are not there yet are waited for, as the hook of an installation must', async (t) => {
  const alone = await startKafka();
  t.teardown(() => alone.remove());
  const [broker] = alone.brokers;
  await broker?.kill();
  const applying = start(['topics', 'apply', '--wait', '2m'], { KAFKA_BROKERS: alone.addresses });
  await untilPrinted('the command waits', applying, /waiting up to/);
  await broker?.start();
  t.is(await applying.exited, 0, applying.errors());
  t.regex(applying.output(), new RegExp(`${count} topics created`));
});
