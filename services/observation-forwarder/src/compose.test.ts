import { partitionOf } from '@ranger-relay/bus';
import { quickRules, temporaryBus } from '@ranger-relay/bus/testing';
import { sourceEventKey, topics, type Message, type Observation, type SourceEvent } from '@ranger-relay/contracts';
import { temporaryKv } from '@ranger-relay/kv/testing';
import { testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { compose } from './compose.ts';
import { parseForwarderConfig } from './config.ts';
import type { ListAnswer } from '@ranger-relay/platform';
import { event, parkA, parkB } from './test/events.ts';
import { accepted, failure } from './test/harness.ts';

type Posted = { part: string; integrationId: string; n: unknown };

/** A forwarder on a real embedded bus and store, with a scripted platform. */
const running = async (
  t: ExecutionContext,
  script: (call: Posted) => Error | Promise<undefined> | undefined = () => undefined,
  rules = {},
) => {
  const context = testContext();
  const { bus } = await temporaryBus(t, { rules: { ...quickRules, ...rules } });
  const { kv, close } = await temporaryKv();
  t.teardown(close);
  const posted: Posted[] = [];
  let arrived: (() => void) | undefined;

  const answer = async (
    part: string,
    integrationId: string,
    list: readonly (Observation | Message)[],
  ): Promise<ListAnswer> => {
    const calls = list.map(({ additional }) => ({ part, integrationId, n: additional['n'] }));
    for (const outcome of calls.map(script)) if ((await outcome) instanceof Error) throw await outcome;
    posted.push(...calls);
    arrived?.();
    return accepted(list.length);
  };

  const pool = {
    postObservations: (id: string, list: readonly Observation[]) => answer('observation', id, list),
    postMessages: (id: string, list: readonly Message[]) => answer('message', id, list),
  };
  const { port } = await compose(
    context,
    {
      bus,
      kv,
      sensors: { live: pool, parked: pool, emergency: pool },
      activity: { webhook: () => undefined },
    },
    parseForwarderConfig({ PORT: '0', HOST: '127.0.0.1', FORWARD_PARK_AFTER_MS: '0' }),
  );
  t.teardown(() => context.lifecycle.stop());

  return {
    context,
    bus,
    port,
    posted,
    publish: (events: readonly SourceEvent[], topic: string = topics.sourceEvents.name) =>
      bus.publish(
        topic,
        events.map((e) => ({ key: sourceEventKey(e.integration_id, e.source), value: JSON.stringify(e) })),
      ),
    /** Resolves when so many items were taken. */
    taken: (count: number): Promise<void> =>
      new Promise((resolve) => {
        arrived = () => void (posted.length >= count && resolve());
        arrived();
      }),
  };
};

test('a forwarder is ready while it can read and commit events, whatever other topics lack', async (t) => {
  const { bus, port } = await running(t);
  const readyz = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  const events = new Set<string>([topics.sourceEvents.name, topics.emergencies.name]);
  for (const { name } of Object.values(topics)) {
    bus.topicProblems = () => [{ topic: name, problem: 'it is missing' }];
    t.is(await readyz(), events.has(name) ? 503 : 200, name);
  }
});

test('events on the bus reach the platform in order, positions before texts', async (t) => {
  const f = await running(t);
  await f.publish(Array.from({ length: 30 }, (_, n) => event(n, n % 10 === 0 ? { text: 'hello' } : {})));
  await f.taken(33);
  t.deepEqual(
    f.posted.filter(({ part }) => part === 'observation').map(({ n }) => n),
    Array.from({ length: 30 }, (_, n) => n),
  );
  t.deepEqual(
    f.posted.filter(({ part }) => part === 'message').map(({ n }) => n),
    [0, 10, 20],
  );
  t.is(f.posted.findIndex(({ part }) => part === 'message') > 0, true);
});

test('an integration whose key is refused does not hold up another, and catches up in order once it is fixed', async (t) => {
  let broken = true;
  const f = await running(t, ({ integrationId }) => (broken && integrationId === parkA ? failure.outage() : undefined));
  const source = '300434030000007';
  await f.publish([event(1), event(2)]);
  await f.publish(Array.from({ length: 5 }, (_, n) => event(10 + n, { integration_id: parkB, source })));
  await f.taken(5);
  t.true(f.posted.every(({ integrationId }) => integrationId === parkB));
  broken = false;
  await f.publish([event(3)]);
  await f.taken(8);
  t.deepEqual(
    f.posted.filter(({ integrationId }) => integrationId === parkA).map(({ n }) => n),
    [1, 2, 3],
  );
});

test('the health routes tell that the consumers are joined, and the metrics tell what was accepted', async (t) => {
  const f = await running(t);
  await f.publish([event(1)]);
  await f.taken(1);
  t.is((await fetch(`http://127.0.0.1:${f.port}/readyz`)).status, 200);
  t.is((await fetch(`http://127.0.0.1:${f.port}/livez`)).status, 200);
  const metrics = await (await fetch(`http://127.0.0.1:${f.port}/metrics`)).text();
  t.regex(metrics, /relay_events_accepted_total\{kind="observation"\} 1/);
  t.regex(metrics, /relay_oldest_unsent_event_age_seconds/);
});

test('a stopped forwarder leaves nothing half done for the next one', async (t) => {
  const f = await running(t);
  await f.publish([event(1), event(2)]);
  await f.taken(2);
  await f.context.lifecycle.stop();
  t.deepEqual(await f.bus.pending(topics.sourceEvents.name, 'observation-forwarder'), []);
});

const refused = ({ integrationId }: Posted) => (integrationId === parkA ? failure.keyRefused() : undefined);

const parked = (integration_id: string, n: number) => ({
  key: integration_id,
  value: JSON.stringify(event(n, { integration_id })),
});

test('parked events of one integration, however many, do not hold up the parked ones of another', async (t) => {
  const { name, partitions } = topics.sourceEventsParked;
  const ids = Array.from({ length: 100 }, (_, n) => `33333333-3333-4333-8333-${String(n).padStart(12, '0')}`);
  const neighbour = ids.find((id) => partitionOf(id, partitions) === partitionOf(parkA, partitions)) ?? '';
  const f = await running(t, refused, { maxAhead: 5 });
  await f.bus.publish(name, [
    ...Array.from({ length: 50 }, (_, n) => parked(parkA, n)),
    parked(neighbour, 100),
    parked(neighbour, 101),
  ]);
  await f.taken(2);
  t.deepEqual(
    f.posted.map(({ integrationId, n }) => [integrationId, n]),
    [
      [neighbour, 100],
      [neighbour, 101],
    ],
  );
});

const isSos = (n: unknown): boolean => Number(n) >= 1_000;

test('an SOS does not wait for the events of its device that are in front of it, nor for a failing integration', async (t) => {
  const held = Promise.withResolvers<undefined>();
  t.teardown(() => held.resolve(undefined));
  const f = await running(t, ({ integrationId, n }) => {
    if (isSos(n)) return undefined;
    return integrationId === parkA ? held.promise : failure.keyRefused();
  });
  await f.publish(Array.from({ length: 800 }, (_, n) => event(n)));
  await f.publish(Array.from({ length: 50 }, (_, n) => event(n, { integration_id: parkB, event_id: `b-${n}` })));
  const sos = [event(1_000, { sos: 'declared' }), event(1_001, { sos: 'declared', integration_id: parkB })];
  await f.publish(sos, topics.emergencies.name);
  await f.taken(2);
  t.deepEqual(f.posted.map(({ n }) => n).toSorted(), [1_000, 1_001]);
});

test('SOS events of one device keep their order', async (t) => {
  const f = await running(t);
  const events = Array.from({ length: 20 }, (_, n) => event(n, { sos: n % 2 === 0 ? 'declared' : 'cancelled' }));
  await f.publish(events, topics.emergencies.name);
  await f.taken(20);
  t.deepEqual(
    f.posted.map(({ n }) => n),
    events.map((_, n) => n),
  );
});
