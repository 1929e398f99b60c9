import { topics, type SosState, type SourceEvent } from '@ranger-relay/contracts';
import { eventKey, forwarderGroup } from '@ranger-relay/observation-forwarder';
import test from 'ava';
import type { LetterHead } from '../dlq/letters.ts';
import { refusedEvent } from '../dlq/test/harness.ts';
import { createSosCalls } from './sos-calls.ts';
import { stores } from './test/harness.ts';

const harness = () => {
  const { bus, kv, clock } = stores();
  let events = 0;
  const call = async (source: string, sos: SosState = 'declared'): Promise<SourceEvent> => {
    const received_at = new Date(clock.now()).toISOString();
    const event = refusedEvent({ source, sos, event_id: `event-${(events += 1)}`, received_at });
    await bus.publish(topics.emergencies.name, [
      { key: `${event.integration_id}:${source}`, value: JSON.stringify(event) },
    ]);
    return event;
  };
  const calls = createSosCalls(bus, kv.state, clock);
  const list = async (letters: readonly LetterHead[] = []) =>
    (await calls.list(letters)).map(({ source, state, delivery }) => `${source} ${state} ${delivery}`);
  return { bus, kv, clock, call, list, take: (event: SourceEvent) => kv.state.set(eventKey(event), 'done') };
};

const letterOf = (event: SourceEvent): LetterHead => ({
  id: 'letter',
  kind: 'message',
  integration_id: event.integration_id,
  reason: 'item_refused',
  received_at: event.received_at,
  failed_at: event.received_at,
  attempts: 1,
  kept_bytes: 1,
  sos: { state: event.sos ?? 'declared', source: event.source, event_id: event.event_id },
  stored: { at: 0, partition: 0, offset: 0n },
});

test('an SOS waits from its 200 until the platform has taken it, however long that is', async (t) => {
  const { call, list, take, clock } = harness();
  const event = await call('one');
  t.deepEqual(await list(), ['one declared waiting']);
  await clock.advance(26 * 3_600_000);
  t.deepEqual(await list(), ['one declared waiting']);
  await take(event);
  t.deepEqual(await list(), []);
});

test('one that was taken is shown for an hour, unless it was called off since', async (t) => {
  const { call, list, take, clock } = harness();
  await take(await call('one'));
  await take(await call('two'));
  t.deepEqual(await list(), ['one declared accepted', 'two declared accepted']);
  await clock.advance(60_000);
  const cancelled = await call('one', 'cancelled');
  t.deepEqual(await list(), ['one cancelled waiting', 'one declared accepted', 'two declared accepted']);
  await take(cancelled);
  t.deepEqual(await list(), ['two declared accepted']);
  await clock.advance(3_600_000);
  t.deepEqual(await list(), []);
});

test('one that was refused stands before those that were taken, once however many letters hold it', async (t) => {
  const { call, list, take } = harness();
  const [one, two] = [await call('one'), await call('two')];
  await take(one);
  await take(two);
  const letter = letterOf(two);
  t.deepEqual(await list([letter, { ...letter, id: 'other', kind: 'observation' }]), [
    'two declared refused',
    'one declared accepted',
  ]);
});

test('where the marks were lost, what the forwarder has gone past counts as taken', async (t) => {
  const { bus, call, list } = harness();
  await call('one');
  const done = Promise.withResolvers<void>();
  const subscription = await bus.consume({
    topic: topics.emergencies.name,
    group: forwarderGroup,
    handle: async ({ records }) => {
      done.resolve();
      return records.map(() => ({ kind: 'done' }));
    },
  });
  await done.promise;
  await subscription.close();
  t.deepEqual(await list(), ['one declared accepted']);
});
