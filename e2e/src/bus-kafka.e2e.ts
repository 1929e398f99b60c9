import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { Bus } from '@ranger-relay/bus';
import { openKafkaBus, openTopicAdmin, type KafkaSettings } from '@ranger-relay/bus/kafka';
import {
  busContract,
  contractTopics,
  publishUntilKilled,
  quickRules,
  setTopicSettings,
  type BusHarness,
} from '@ranger-relay/bus/testing';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import { startKafka, type KafkaCluster } from './harness/kafka/index.ts';

const script = fileURLToPath(new URL('./harness/kafka/publisher.ts', import.meta.url));
const stallMs = 1_200;
let kafka: KafkaCluster;
let harnesses = 0;

test.before(async () => {
  kafka = await startKafka();
});
test.after.always(() => kafka?.remove());

const open = async (t: ExecutionContext): Promise<BusHarness> => {
  harnesses += 1;
  const settings: KafkaSettings = {
    brokers: kafka.addresses.split(','),
    clientId: 'contract',
    prefix: `w${harnesses}.`,
    sessionTimeoutMs: 6_000,
  };
  const { random, log, metrics } = testContext();
  const admin = openTopicAdmin(settings, contractTopics, { log, clock: systemClock });
  await admin.create();
  await admin.close();
  const openOne = async (): Promise<Bus> => {
    const bus = openKafkaBus({
      settings,
      topics: contractTopics,
      clock: systemClock,
      random,
      log,
      metrics,
      rules: quickRules,
    });
    t.teardown(() => bus.close());
    while (!bus.ready() || bus.topicProblems().length > 0) await systemClock.sleep(10);
    return bus;
  };
  const bus = await openOne();
  return {
    bus,
    async reopen() {
      await bus.close();
      return openOne();
    },
    beside: openOne,
    async stall() {
      kafka.brokers[0]?.pause();
      setTimeout(() => kafka.brokers[0]?.resume(), stallMs);
    },
    killedPublisher: (topic) => publishUntilKilled(script, settings.brokers.join(','), settings.prefix, topic),
  };
};

busContract(test, { name: 'Kafka', churnMs: 20_000, consumesBeside: true, open });

test.serial(
  'a machine whose clock is two hours ahead of the brokers’ writes; where their topic forbids it, it names both clocks',
  async (t) => {
    const settings: KafkaSettings = {
      brokers: kafka.addresses.split(','),
      clientId: 'ahead',
      prefix: 'ahead.',
      sessionTimeoutMs: 6_000,
    };
    const { random, log, metrics } = testContext();
    const admin = openTopicAdmin(settings, contractTopics, { log, clock: systemClock });
    t.teardown(() => admin.close());
    await admin.create();
    const ahead = { ...systemClock, now: () => systemClock.now() + 7_200_000 };
    const bus = openKafkaBus({ settings, topics: contractTopics, clock: ahead, random, log, metrics });
    t.teardown(() => bus.close());
    while (!bus.ready() || bus.topicProblems().length > 0) await systemClock.sleep(10);
    const topic = contractTopics[0]?.name ?? '';
    await bus.publish(topic, [{ key: 'k', value: 'a' }]);
    await setTopicSettings(settings, { [topic]: { 'message.timestamp.type': 'CreateTime' } }, log);
    const refusal = /the clock of this machine says .*, and the broker takes records up to .* by its own clock/;
    await t.throwsAsync(bus.publish(topic, [{ key: 'k', value: 'b' }]), { message: refusal });
  },
);
