import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startCluster } from './harness/cluster.ts';
import { envelope, event, post, send, storedNumbers, untilNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';

const sos = (n: number): Record<string, unknown> =>
  event(n, { messageCode: 4, timeStamp: Date.now(), imei: `3004340300010${n}` });

test.serial('an SOS is sent while the coordinator of the groups is away, and everything goes on with it', async (t) => {
  // One broker alone has the offsets, so nobody else can coordinate; the topics of events are on all three.
  const lines = ['offsets.topic.replication.factor=1', 'offsets.topic.num.partitions=1'];
  const here = await startCluster([park], { kafka: { brokers: 3, lines } });
  t.teardown(() => here.remove());
  await send(here, park, event(0), event(1, { messageCode: 4 }));
  await untilStored(here, park, 2);

  const coordinator = here.kafka.brokers.find(({ config }) =>
    existsSync(join(config.dir, 'data/__consumer_offsets-0')),
  );
  await coordinator?.kill();
  const call = async (...events: readonly unknown[]): Promise<void> => {
    // The vendor repeats what is not answered with 200, as it is while partitions move to other leaders.
    const isTaken = async (): Promise<boolean> => (await post(here, park, envelope(...events))).status === 200;
    await until('the webhook is taken', isTaken, 30_000, 500);
  };
  await call(sos(10), sos(11));
  // Both are sent without the coordinator.
  await untilNumbers(here, park, [10, 11], 20_000);
  await call(event(2));
  const later = Date.now() + 8_000;
  await until('the coordinator is away for longer than a session', () => Date.now() > later, 10_000);
  await call(sos(12));
  await untilNumbers(here, park, [12], 20_000);

  await coordinator?.start();
  await send(here, park, event(3));
  await untilNumbers(here, park, [0, 1, 2, 3, 10, 11, 12]);
  const numbers = await storedNumbers(here, park);
  t.is(new Set(numbers).size, numbers.length, 'none is stored twice');
});
