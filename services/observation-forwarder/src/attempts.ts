import type { SourceEvent } from '@ranger-relay/contracts';
import { lru } from './lru.ts';

/** The two things an event holds. */
export type Part = 'observation' | 'message';

/**
 * Counts sendings whose answer was lost. The platform may have marked such a text as seen without storing it, so its repetition must look
 * different (device contract, forwarder: ambiguous answer). Ordinary positions are repeated unchanged.
 */
export interface Attempts {
  /** The answer to these was lost. */
  lost(part: Part, events: readonly SourceEvent[]): void;
  /** `{ delivery_attempt: n }` from the second sending on, else nothing to add. */
  mark(part: Part, event: SourceEvent): { delivery_attempt?: number };
  /** Answered: forget it. */
  settled(part: Part, event: SourceEvent): void;
}

const limit = 50_000;

const keyOf = (part: Part, event: SourceEvent): string => `${part}.${event.integration_id}.${event.event_id}`;

/** Keeps the counts of the latest 50,000 events; beyond that, repetitions go unchanged. */
export const createAttempts = (): Attempts => {
  const counts = lru<string, number>(limit);
  return {
    lost(part, events) {
      for (const event of events) {
        if (part === 'observation' && !event.sos) continue;
        const key = keyOf(part, event);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    },
    mark(part, event) {
      const lost = counts.get(keyOf(part, event));
      return lost === undefined ? {} : { delivery_attempt: lost + 1 };
    },
    settled: (part, event) => counts.delete(keyOf(part, event)),
  };
};
