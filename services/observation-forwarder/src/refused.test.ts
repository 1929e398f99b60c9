import type { OutgoingRecord } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { event, parkA, parkB, record } from './test/events.ts';
import { failure, harness } from './test/harness.ts';

const parkedTopic = topics.sourceEventsParked.name;
const [large, small] = ['300434030000001', '300434030000002'];

const isLarge = ({ value }: { value: string | Uint8Array }): boolean => Buffer.from(value).includes('"text":"large"');

/** The parked topic takes no event with a large text; `before` is the number of those of a call that it stores before it refuses. */
const narrowHarness = (before = 0) => {
  const w = harness();
  const refused: (readonly OutgoingRecord[])[] = [];
  w.bus.before = async ({ topic, records }) => {
    if (topic !== parkedTopic || !records.some(isLarge)) return;
    refused.push(records);
    throw new RelayError('record_too_large', { details: { topic: parkedTopic, stored: before } });
  };
  return { ...w, refused };
};

const numbers = (w: ReturnType<typeof harness>): number[] =>
  w.bus.values(parkedTopic).map(({ observation }) => (observation as { additional: { n: number } }).additional.n);

test('of what is parked, the first event that the topic refuses and the later ones of its device stay; all others are parked once', async (t) => {
  const w = narrowHarness(1);
  const events = [
    event(1, { source: large }),
    event(2, { source: small }),
    event(3, { source: large, text: 'large' }),
    event(4, { source: small }),
    event(5, { source: large }),
  ];
  const records = events.map((value, index) => ({ record: record(value, index), headers: {} }));
  const left = await w.parking.park(records);
  t.deepEqual(
    left.map(({ record: { offset } }) => offset),
    [2n, 4n],
  );
  t.deepEqual(numbers(w), [2, 4]);
  t.is(w.refused.length, 1);
  t.is(w.parking.holds(3, `${parkA}:${large}`), true);
});

test('a device of which the topic took nothing does not count as parked', async (t) => {
  const w = narrowHarness();
  const records = [{ record: record(event(1, { text: 'large' }), 1), headers: {} }];
  t.is((await w.parking.park(records)).length, 1);
  t.is(w.parking.holds(3, `${parkA}:${large}`), false);
});

test('an event that the parked topic refuses waits with its device alone, is no dead letter, and goes out in order once the platform takes it', async (t) => {
  const w = narrowHarness();
  const { clock, bus, platform } = w;
  const events = [
    event(1, { source: large, text: 'large' }),
    event(2, { source: small }),
    event(3, { source: large }),
    event(4, { source: small }),
  ];
  await bus.consume({
    topic: topics.sourceEvents.name,
    group: 'forwarder',
    lane: ({ key }) => integrationOfKey(key),
    handle: w.handlers.live,
  });
  const publish = (values: readonly { integration_id: string; source: string }[]): Promise<void> =>
    bus.publish(
      topics.sourceEvents.name,
      values.map((value) => ({ key: `${value.integration_id}:${value.source}`, value: JSON.stringify(value) })),
    );
  const pass = async (seconds: number): Promise<void> => {
    for (let n = 0; n < seconds; n += 1) await clock.advance(1_000);
  };
  platform.script = ({ integrationId }) => (integrationId === parkA ? failure.keyRefused() : undefined);
  await publish(events);
  await pass(1);
  await publish([event(9, { integration_id: parkB })]);
  await pass(60);
  t.deepEqual(numbers(w), [2, 4]);
  t.deepEqual(w.letters(), []);

  platform.script = () => undefined;
  w.calls.length = 0;
  await publish([event(5, { source: large })]);
  await pass(760);
  t.deepEqual(w.posted('observation'), [1, 3, 5]);
  t.deepEqual(w.letters(), []);
});
