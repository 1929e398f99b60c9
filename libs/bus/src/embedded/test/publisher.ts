import { metricList, createMetrics, systemClock, systemRandom } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { contractTopics } from '../../testing/contract.ts';
import { openEmbeddedBus } from '../open.ts';

const [path = '', topic = ''] = process.argv.slice(2);
const bus = await openEmbeddedBus({
  path,
  topics: contractTopics,
  clock: systemClock,
  random: systemRandom,
  log: silentLogger(),
  metrics: createMetrics(metricList),
});
for (let i = 0; ; i += 1) {
  const value = `value ${i}`;
  await bus.publish(topic, [{ key: 'k', value }]);
  process.stdout.write(`${value}\n`);
}
