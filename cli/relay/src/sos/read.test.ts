import type { Bus } from '@ranger-relay/bus';
import { sosStepOf, topics, type SosState, type SourceEvent } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';
import { createSosLog } from '@ranger-relay/service';
import test from 'ava';
import { createLetterIndex } from '../dlq/letters.ts';
import { letter, refusedEvent } from '../dlq/test/harness.ts';
import { stores } from '../status/test/harness.ts';
import { readSosList } from './read.ts';
import { brief } from './test/facts.ts';

const harness = () => {
  const { bus, clock } = stores();
  const log = createSosLog({ bus, clock });
  let events = 0;
  const call = async (source: string, sos: SosState = 'declared'): Promise<SourceEvent> => {
    const received_at = new Date(clock.now()).toISOString();
    const message = { ...refusedEvent().message!, recorded_at: received_at };
    const event = refusedEvent({ source, sos, event_id: `event-${(events += 1)}`, received_at, message });
    await bus.publish(topics.emergencies.name, [
      { key: `${event.integration_id}:${source}`, value: JSON.stringify(event) },
    ]);
    return event;
  };
  /** The forwarder goes past every emergency. */
  const commit = async (): Promise<void> => {
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
  };
  /** A new reader each time, as after a restart. */
  const read = () => readSosList(bus, createLetterIndex(bus, clock), clock);
  return {
    bus,
    clock,
    call,
    commit,
    read,
    list: async () => brief((await read()).calls),
    store: (event: SourceEvent) => log.write([sosStepOf(event, clock.now(), { step: 'stored' })]),
    accept: (event: SourceEvent) => log.write([sosStepOf(event, clock.now(), { step: 'accepted' })]),
    refuse: (event: SourceEvent) =>
      bus.publish(topics.deadLetters.name, [{ key: 'k', value: JSON.stringify(letter({ body: event })) }]),
  };
};

test('an SOS waits from its 200 until the platform has accepted it, and is listed for 30 days', async (t) => {
  const { call, list, accept, commit, clock } = harness();
  const event = await call('one');
  t.deepEqual(await list(), ['one declared waiting open']);
  await clock.advance(26 * 3_600_000);
  t.deepEqual(await list(), ['one declared waiting open']);
  await accept(event);
  t.deepEqual(await list(), ['one declared accepted open']);
  await commit();
  await clock.advance(28 * 86_400_000);
  t.deepEqual(await list(), ['one declared accepted open']);
  await clock.advance(86_400_000);
  t.deepEqual(await list(), []);
});

test('what the forwarder has gone past without a word of the platform is not known, never accepted', async (t) => {
  const { call, list, commit, store } = harness();
  await store(await call('one'));
  await commit();
  t.deepEqual(await list(), ['one declared not_known open']);
});

test('a dead letter of an SOS tells that it was refused', async (t) => {
  const { call, list, commit, refuse } = harness();
  const event = await call('one');
  await refuse(event);
  t.deepEqual(await list(), ['one declared refused open']);
  await commit();
  t.deepEqual(await list(), ['one declared refused open']);
});

/** A bus of which one topic cannot be read. */
const withoutTopic = (bus: Bus, topic: string): { readonly without: Bus; readonly error: RelayError } => {
  const error = new RelayError('bus_topic_unknown', { details: { topic } });
  const read: Bus['read'] = (options) => {
    if (options.topic === topic) throw error;
    return bus.read(options);
  };
  return { without: { ...bus, read }, error };
};

test('a log that cannot be read makes no SOS accepted, and hides none that waits', async (t) => {
  const { bus, call, accept, clock } = harness();
  await accept(await call('one'));
  const { without, error } = withoutTopic(bus, topics.sosLog.name);
  const { calls, problem } = await readSosList(without, createLetterIndex(bus, clock), clock);
  t.deepEqual(brief(calls), ['one declared waiting open']);
  t.is(problem, error);
});

test('without emergencies the list has what the log knows, and says that it is not whole', async (t) => {
  const { bus, call, accept, commit, clock } = harness();
  await accept(await call('one'));
  await commit();
  const { without, error } = withoutTopic(bus, topics.emergencies.name);
  const { calls, problem } = await readSosList(without, createLetterIndex(bus, clock), clock);
  t.deepEqual(brief(calls), ['one declared accepted open']);
  t.is(problem, error);
});

test('records that this version cannot read do not hide the others', async (t) => {
  const { bus, call, list } = harness();
  await bus.publish(topics.sosLog.name, [{ key: 'k', value: 'no JSON' }]);
  await bus.publish(topics.emergencies.name, [{ key: 'k', value: '{"v":2}' }]);
  await call('one');
  t.deepEqual(await list(), ['one declared waiting open']);
});
