import type { BusRecord } from '@ranger-relay/bus';
import { topics, type SourceEvent } from '@ranger-relay/contracts';

/** Integrations of the tests. */
export const parkA = '11111111-1111-4111-8111-111111111111';
export const parkB = '22222222-2222-4222-8222-222222222222';

/** An event with a position, and with a text when one is given. */
export const event = (n: number, parts: Partial<SourceEvent> & { text?: string } = {}): SourceEvent => {
  const { text, ...rest } = parts;
  const recorded_at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  const source = rest.source ?? '300434030000001';
  return {
    v: 1,
    integration_id: parkA,
    event_id: `event-${n}`,
    // Behind the first moment of the store.
    received_at: '2026-01-01T00:00:00.001Z',
    source,
    kind: 'device',
    message_code: text === undefined ? 0 : 3,
    sos: null,
    observation: {
      source,
      source_name: source,
      type: 'gps-radio',
      subject_type: 'ranger',
      recorded_at,
      location: { lat: -1.2, lon: 36.8 },
      additional: { n },
    },
    message:
      text === undefined ? null : { source, sender: source, recipients: [], text, recorded_at, additional: { n } },
    ...rest,
  };
};

const keyOf = (value: unknown): string => {
  const { integration_id: id = parkA, source = '' } = (value ?? {}) as Partial<SourceEvent>;
  return `${id}:${source}`;
};

/** The record that holds a value on a topic. */
export const record = (value: unknown, offset: number, topic: string = topics.sourceEvents.name): BusRecord => ({
  topic,
  partition: 3,
  offset: BigInt(offset),
  key: keyOf(value),
  value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  headers: {},
  timestamp: Date.UTC(2026, 0, 1),
});
