import { createMetrics, metricList, systemClock, systemRandom } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { contractTopics, textOf } from '../../testing/contract/inbox.ts';
import { openEmbeddedBus } from '../open.ts';

const [path = ''] = process.argv.slice(2);
const bus = await openEmbeddedBus({
  path,
  topics: contractTopics,
  clock: systemClock,
  random: systemRandom,
  log: silentLogger(),
  metrics: createMetrics(metricList),
});
await bus.consume({
  topic: 'events',
  group: 'group',
  maxBatch: 2,
  lane: ({ key }) => key,
  handle: async ({ records }) => {
    process.stdout.write(records.map((record) => `${textOf(record)}\n`).join(''));
    await systemClock.sleep(20);
    return records.map(() => ({ kind: 'done' }));
  },
});
