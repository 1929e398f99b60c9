import { setTopicSettings } from '@ranger-relay/bus/testing';
import { commandsTopic, topics } from '@ranger-relay/contracts';
import { testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { createTopics, settingsFor } from './harness/kafka/bus.ts';
import { loadFor } from './harness/load.ts';
import {
  assertAnswers,
  assertRecovered,
  assertWhole,
  bounds,
  everyReplica,
  maxSilenceMs,
  throughOutage,
} from './harness/outage.ts';
import { metric } from './harness/metrics.ts';
import { probesFor } from './harness/probes.ts';
import { run } from './harness/product.ts';
import { event, send, storedNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
let here: Cluster;

test.before(async () => {
  here = await startCluster([park], { kafka: { brokers: 3 } });
  // A platform that takes its time keeps calls open, so that faults find some.
  await here.platform.fault({ fault: 'slow', ms: 20, endpoint: 'sensors' });
});
test.after.always(() => here?.remove());

const brokers = (...numbers: readonly number[]) => numbers.map((n) => here.kafka.brokers[n]!);
const all = () => brokers(0, 1, 2);

const watched = (t: ExecutionContext) => {
  const load = loadFor(t, here, park);
  const probes = probesFor(t, everyReplica(here));
  return { load, probes };
};

/** One of three brokers is down: after a short time everything continues without it, and again with it. */
const withoutOne = async (
  t: ExecutionContext,
  fault: {
    readonly begin: () => unknown;
    readonly meanwhile?: () => Promise<void>;
    readonly end: () => unknown;
  },
): Promise<void> => {
  const { load, probes } = watched(t);
  await load.flowing();
  const from = performance.now();
  await fault.begin();
  await load.flowingAnew(15_000);
  await fault.meanwhile?.();
  await until('the fault has lasted', () => performance.now() - from > 8_000, 15_000);
  await probes.readiness('webhook-ingester', true, performance.now(), bounds.recovery);
  await fault.end();
  const back = performance.now();
  await probes.readiness('webhook-ingester', true, back, bounds.recovery);
  await probes.readiness('observation-forwarder', true, back, bounds.recovery);
  await load.flowingAnew(bounds.recovery);
  const silenceMs = maxSilenceMs(load, from, performance.now());
  t.log(`no 200 for ${Math.round(silenceMs)} ms`);
  t.true(silenceMs <= 8_000, `no acknowledgement for ${silenceMs} ms`);
  t.deepEqual(probes.refusals('/livez'), []);
  const report = await load.finish();
  assertAnswers(t, load);
  assertWhole(t, report);
  t.is(report.duplicates, 0, 'duplicates');
};

test.serial('one of three brokers is killed and comes back: requests go on being answered, nothing is lost', (t) =>
  withoutOne(t, {
    begin: () => Promise.all(brokers(0).map((broker) => broker.kill())),
    end: () => Promise.all(brokers(0).map((broker) => broker.start())),
  }),
);

test.serial(
  'one of three brokers hangs: requests go on being answered, nothing is lost, and services start and end without it',
  (t) =>
    withoutOne(t, {
      begin: () => brokers(1).forEach((broker) => broker.pause()),
      async meanwhile() {
        const added = [await here.add('webhook-ingester'), await here.add('observation-forwarder')];
        await Promise.all(added.map((replica) => replica.start()));
        t.deepEqual(await Promise.all(added.map((replica) => replica.stop())), [0, 0]);
      },
      end: () => brokers(1).forEach((broker) => broker.resume()),
    }),
);

for (const [what, fault] of [
  [
    'two of three brokers are killed',
    {
      begin: async () => void (await Promise.all(brokers(0, 2).map((broker) => broker.kill()))),
      end: async () => void (await Promise.all(brokers(0, 2).map((broker) => broker.start()))),
    },
  ],
  [
    'all brokers hang',
    {
      begin: async () => all().forEach((broker) => broker.pause()),
      end: async () => all().forEach((broker) => broker.resume()),
      lastsMs: 12_000,
    },
  ],
] as const)
  test.serial(`${what}: 503 in time, and with them back all goes on by itself`, async (t) => {
    const { load, probes } = watched(t);
    await assertRecovered(t, await throughOutage(t, { load, probes }, fault), load);
  });

/** Topics of an installation beside the others, by a prefix of its own; all but some are there. */
const createAllBut = async (prefix: string, ...missing: readonly string[]): Promise<void> => {
  const commands = ['device_connector', 'site_connector'].map((slug) => commandsTopic(slug));
  const wanted = [...Object.values(topics), ...commands].filter(({ name }) => !missing.includes(name));
  await createTopics(settingsFor(here.kafka, prefix), wanted);
};

const lines = (output: string): { readonly msg: string; readonly problem?: string }[] =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));

test.serial(
  'services that are started while the brokers are away are alive; one whose topic is missing names it; both work by themselves once it is there',
  async (t) => {
    const { name } = topics.sourceEvents;
    const env = { KAFKA_PREFIX: 'without.' };
    await createAllBut(env.KAFKA_PREFIX, name);
    await Promise.all(all().map((broker) => broker.kill()));
    const pair = [await here.add('webhook-ingester'), await here.add('observation-forwarder')];
    t.teardown(() => Promise.all(pair.map((replica) => replica.kill())));
    for (const replica of pair) replica.launch(env);
    const probes = probesFor(t, pair);
    for (const { service } of pair) await probes.readiness(service, false, 0, 15_000);

    await Promise.all(all().map((broker) => broker.start()));
    for (const replica of pair) {
      const named = () =>
        lines(replica.process().output() + replica.process().errors()).find(({ problem }) => problem?.includes(name));
      await until(`${replica.service} names the topic`, () => named() !== undefined);
      t.regex(named()?.problem ?? '', /ranger-relay topics apply/);
      await until(`${replica.service} says what it lacks`, () =>
        new RegExp(`${name}.*ranger-relay topics apply`).test(probes.failing(replica.service).join()),
      );
    }
    const created = await run(['topics', 'create'], { ...here.env, ...env });
    t.is(created.stdout.trim(), `created without.${name}`);
    const back = performance.now();
    for (const { service } of pair) await probes.readiness(service, true, back, bounds.recovery);
    const load = loadFor(t, here, park, { urls: [`${pair[0]!.url}/webhooks`] });
    await load.flowing();
    const report = await load.finish();
    assertWhole(t, report);
    t.is(report.duplicates, 0, 'duplicates');
    const dead = probes.refusals('/livez').filter(({ status }) => status !== 0);
    t.deepEqual(dead, []);
  },
);

test.serial(
  'without the topics of texts, of the activity log, of parked events and of dead letters, ingester and forwarder are ready and name those of their own',
  async (t) => {
    const { outboundMessages, integrationEvents, sourceEventsParked, deadLetters } = topics;
    const env = { KAFKA_PREFIX: 'some.' };
    const missing = [outboundMessages, integrationEvents, sourceEventsParked, deadLetters];
    await createAllBut(env.KAFKA_PREFIX, ...missing.map(({ name }) => name));
    const pair = [await here.add('webhook-ingester'), await here.add('observation-forwarder')];
    t.teardown(() => Promise.all(pair.map((replica) => replica.kill())));
    await Promise.all(pair.map((replica) => replica.start(env)));
    const load = loadFor(t, here, park, { urls: [`${pair[0]!.url}/webhooks`] });
    await load.flowing();
    const probes = probesFor(t, pair);
    for (const { service } of pair) await probes.readiness(service, true, performance.now(), bounds.recovery);
    assertWhole(t, await load.finish());
    t.deepEqual(probes.refusals('/readyz'), []);
    const named = pair.map((replica) =>
      lines(replica.process().output() + replica.process().errors()).flatMap(({ problem = '' }) =>
        problem.includes('is missing') ? (problem.split(' ', 1)[0] ?? '') : [],
      ),
    );
    t.deepEqual(named[0]?.toSorted(), ['some.dead-letters', 'some.integration-events']);
    t.deepEqual(named[1]?.toSorted(), ['some.dead-letters', 'some.integration-events', 'some.source-events-parked']);
  },
);

test.serial(
  'an event that the parked topic does not take waits with its device alone and arrives in order, and the low limit is told until it is raised',
  async (t) => {
    const failing = 'bbbbbbbb-0000-4000-8000-000000000001';
    const working = 'bbbbbbbb-0000-4000-8000-000000000002';
    const prefix = 'narrow.';
    const shared = { kafka: here.kafka, redis: here.redis, prefix };
    const own = await startCluster([failing, working], { shared, start: false });
    t.teardown(() => own.remove());
    const settings = settingsFor(own.kafka, prefix);
    const { name } = topics.sourceEventsParked;
    await setTopicSettings(settings, { [name]: { 'max.message.bytes': '20000' } }, testContext().log);
    await Promise.all([...own.ingesters, ...own.forwarders].map((replica) => replica.start()));
    const told = async (): Promise<boolean> => /takes records of 20000 bytes/.test((await own.relay('status')).stdout);
    await until('status tells the limit', told, 20_000);

    const [large, small] = ['300434030000001', '300434030000002'];
    const refused = { endpoint: 'sensors', integration: failing, fault: 'status', status: 401 } as const;
    const fault = await own.platform.fault(refused);
    const text = { messageCode: 3, freeText: 'x'.repeat(40_000) };
    await send(own, failing, event(0, { imei: large }), event(1, { imei: large, ...text }), event(2, { imei: large }));
    await send(own, failing, event(10, { imei: small }));
    await send(own, working, event(100));
    const url = own.forwarders[0]?.url ?? '';
    const parked = (count: number): Promise<void> =>
      until(`${count} events are parked`, async () => (await metric(url, 'relay_events_parked_total')) === count);
    await parked(2);
    await send(own, failing, event(3, { imei: large }), event(11, { imei: small }));
    await parked(3);

    await own.platform.repair(fault);
    await untilStored(own, failing, 7, 120_000);
    const numbers = await storedNumbers(own, failing);
    const ofDevice = (all: readonly number[]): readonly number[] => numbers.filter((n) => all.includes(n));
    for (const expected of [
      [0, 1, 2, 3],
      [10, 11],
    ])
      t.deepEqual(ofDevice(expected), expected);
    t.deepEqual(JSON.parse((await own.relay('dlq', 'list', '--output', 'json')).stdout), []);

    t.is((await own.relay('topics', 'apply')).code, 0);
    await until('nothing is told of the limit any more', async () => !(await told()), 60_000);
  },
);
