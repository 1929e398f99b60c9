import { memoryBus } from '@ranger-relay/bus/testing';
import { topics, type DeadLetter } from '@ranger-relay/contracts';
import { memoryKv } from '@ranger-relay/kv/testing';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import { letter } from '../../dlq/test/harness.ts';
import type { IntegrationStatus, Overview, Problem, TextCounts } from '../model.ts';

/** An integration of which nothing is known. */
export const blank = (id: string, more: Partial<IntegrationStatus> = {}): IntegrationStatus => ({
  id,
  name: null,
  accepted_observations: 0,
  accepted_messages: 0,
  last_event_at: null,
  oldest_unsent_seconds: 0,
  waiting: 0,
  sos: 0,
  parked: 0,
  dead_letters: 0,
  ...more,
});

/** A condition as the status shows it. */
export const problem = (level: Problem['level'], text: string): Problem => ({
  level,
  text,
  condition: 'service_not_ready',
  subject: 'observation-forwarder',
  since: '2026-01-01T00:00:00.000Z',
  remedy: 'Run `ranger-relay doctor`.',
  runbook: 'RelayNotReady',
  follows_from: null,
});

/** No text was ever sent to a device. */
export const noTexts: TextCounts = { accepted: 0, failed: 0, pending: 0, unknown: 0, oldest_undecided_seconds: 0 };

/** A small overview for routes. */
export const overview = (more: Partial<Overview['totals']> = {}): Overview => ({
  status: {
    verdict: { level: 'ok', text: 'Everything works, nothing waits', problems: [] },
    sos: [],
    services: [{ name: 'webhook-ingester', ready: true, failing: [] }],
    integrations: [blank('a', { accepted_observations: 5, last_event_at: '2026-01-01T00:00:00.000Z' })],
    texts: noTexts,
    runs: [],
    unassigned_dead_letters: 0,
  },
  totals: {
    accepted_observations: 5,
    accepted_messages: 0,
    waiting: 0,
    parked: 0,
    oldest_unsent_seconds: 0,
    dead_letters: 0,
    ...more,
  },
  letters: [],
});

/** A bus and a store on one clock. */
export const stores = () => {
  const clock = manualClock();
  const bus = memoryBus(clock);
  const kv = memoryKv(clock);
  const { conditions } = testContext({ clock });
  const put = (topic: string, keys: readonly string[]): Promise<void> =>
    bus.publish(
      topic,
      keys.map((key) => ({ key, value: '{}' })),
    );
  return {
    clock,
    bus,
    kv,
    conditions,
    event: (...keys: string[]) => put(topics.sourceEvents.name, keys),
    park: (...keys: string[]) => put(topics.sourceEventsParked.name, keys),
    letters: (...letters: Partial<DeadLetter>[]) =>
      bus.publish(
        topics.deadLetters.name,
        letters.map((more) => ({ key: 'k', value: JSON.stringify(letter(more)) })),
      ),
    accept: (id: string, part: string, value: unknown) =>
      kv.state.set(`accepted.${id}.${part}`, typeof value === 'string' ? value : JSON.stringify(value)),
  };
};
