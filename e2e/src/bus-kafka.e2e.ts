import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { Bus } from '@ranger-relay/bus';
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
import { createTopics, openReadyBus, settingsFor } from './harness/kafka/bus.ts';
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
  const settings = settingsFor(kafka, `w${harnesses}.`);
  await createTopics(settings, contractTopics);
  const openOne = (): Promise<Bus> => openReadyBus(t, { settings, topics: contractTopics, rules: quickRules });
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
    const settings = settingsFor(kafka, 'ahead.');
    await createTopics(settings, contractTopics);
    const ahead = { ...systemClock, now: () => systemClock.now() + 7_200_000 };
    const bus = await openReadyBus(t, { settings, topics: contractTopics, clock: ahead });
    const topic = contractTopics[0]?.name ?? '';
    await bus.publish(topic, [{ key: 'k', value: 'a' }]);
    await setTopicSettings(settings, { [topic]: { 'message.timestamp.type': 'CreateTime' } }, testContext().log);
    const refusal = /the clock of this machine says .*, and the broker takes records up to .* by its own clock/;
    await t.throwsAsync(bus.publish(topic, [{ key: 'k', value: 'b' }]), { message: refusal });
  },
);
