import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { openKafkaBus, openTopicKeeper, type Bus, type KafkaSettings } from '@ranger-relay/bus';
import { busContract, contractTopics, quickRules, type BusWorld } from '@ranger-relay/bus/testing';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import { startKafka, type KafkaCluster } from './harness/kafka/index.ts';

const script = fileURLToPath(new URL('./harness/kafka/publisher.ts', import.meta.url));
const killAfter = 200;
const stallMs = 1_200;
let kafka: KafkaCluster;
let worlds = 0;

test.before(async () => {
  kafka = await startKafka();
});
test.after.always(() => kafka?.remove());

const publishUntilKilled = async ({ brokers, prefix }: KafkaSettings, topic: string): Promise<readonly string[]> => {
  const args = ['--conditions=@ranger-relay/source', script, brokers.join(','), prefix, topic];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line);
    if (acknowledged.length === killAfter) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return acknowledged;
};

const open = async (t: ExecutionContext): Promise<BusWorld> => {
  worlds += 1;
  const settings: KafkaSettings = {
    brokers: kafka.addresses.split(','),
    clientId: 'contract',
    prefix: `w${worlds}.`,
    sessionTimeoutMs: 6_000,
  };
  const { random, log, metrics } = testContext();
  const keeper = openTopicKeeper(settings, contractTopics, log);
  await keeper.create();
  await keeper.close();
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
    while (!bus.ready()) await systemClock.sleep(10);
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
    killedPublisher: (topic) => publishUntilKilled(settings, topic),
  };
};

busContract(test, { name: 'Kafka', open });
