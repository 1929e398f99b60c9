import { memoryBus } from '@ranger-relay/bus/testing';
import { sourceEventKey, topics } from '@ranger-relay/contracts';
import { memorySpace } from '@ranger-relay/kv/testing';
import { createDeliveredRecords } from '@ranger-relay/observation-forwarder';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import { letter } from '../../dlq/test/harness.ts';
import { nowhere, probeDevice, probeEvent } from '../event.ts';
import type { StepDependencies } from '../parts.ts';

export const integration = '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01';
export const webhook = 'http://webhook.test/webhooks';

/** What a step works with: a clock that moves only when told to, and an end of the time by call. */
export const stepHarness = () => {
  const clock = manualClock();
  const over = new AbortController();
  const told: string[] = [];
  const sent = { ...probeEvent(integration, clock.now(), nowhere), integration };
  const tell = (what: string): void => void told.push(what);
  const parts: StepDependencies = { clock, random: seededRandom(1), signal: over.signal, tell, url: webhook };
  return {
    clock,
    told,
    sent,
    parts,
    /** The time is over. */
    end: () => over.abort(),
  };
};

const eventOf = (id: string) =>
  ({
    integration_id: integration,
    source: probeDevice,
    event_id: id,
    sos: null,
    kind: 'device',
    received_at: '2026-01-01T00:00:00Z',
  }) as const;

/** A bus and a store with a test event on its way. */
export const harness = () => {
  const step = stepHarness();
  const { clock, sent } = step;
  const bus = memoryBus(clock);
  const put = (topic: string, key: string, value: string): Promise<void> => bus.publish(topic, [{ key, value }]);
  const state = memorySpace(clock);
  const delivered = createDeliveredRecords(state, clock);
  return {
    ...step,
    state,
    sight: { bus, state },
    /** An event is delivered: what the forwarder records of it then. */
    deliver: async (eventId = sent.eventId) =>
      (await delivered.read([])).accept([{ event: eventOf(eventId), mark: 'done' }]),
    /** The event lies on the topic of events, or on that of parked ones. */
    lay: () => put(topics.sourceEvents.name, sourceEventKey(integration, probeDevice), '{}'),
    park: () => put(topics.sourceEventsParked.name, sourceEventKey(integration, probeDevice), '{}'),
    /** An event is a dead letter. */
    deadLetter: (eventId = sent.eventId) =>
      put(
        topics.deadLetters.name,
        'k',
        JSON.stringify(letter({ id: 'letter-9', integration_id: integration, body: { event_id: eventId } })),
      ),
  };
};
