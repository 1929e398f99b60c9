// Publishes numbered records to one topic, one after the other, and prints each number once it is acknowledged.
import { writeSync } from 'node:fs';
import { openKafkaBus } from '@ranger-relay/bus/kafka';
import { testContext } from '@ranger-relay/runtime/testing';
import { systemClock } from '@ranger-relay/runtime';

const [brokers = '', prefix = '', topic = ''] = process.argv.slice(2);
const { random, log, metrics } = testContext();
const bus = openKafkaBus({
  settings: { brokers: brokers.split(','), clientId: 'publisher', prefix, sessionTimeoutMs: 6_000 },
  topics: [{ name: topic, maxRecordBytes: 1_048_576 }],
  clock: systemClock,
  random,
  log,
  metrics,
});
for (let n = 0; ; n += 1) {
  await bus.publish(topic, [{ key: 'k', value: String(n) }]);
  writeSync(1, `${n}\n`);
}
