import type { SosStep } from '@ranger-relay/contracts';
import type { SosFact } from '../calls.ts';
import type { Delivery, SosCall } from '../model.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');

/** The time `seconds` after the start of the tests, ISO. */
export const at = (seconds: number): string => new Date(start + seconds * 1_000).toISOString();

/** A fact about the SOS event `event`, which the device wrote at second `second`. */
export const fact = (event: string, second: number, more: Partial<SosFact> = {}): SosFact => ({
  integration_id: 'park-a',
  source: 'device-1',
  event_id: event,
  sos: 'declared',
  recorded_at: at(second),
  received_at: at(second),
  at: at(second),
  step: 'stored',
  parts: ['observation', 'message'],
  ...more,
});

/** The same as a record of the log. */
export const step = (...args: Parameters<typeof fact>): SosStep => ({ v: 1, ...fact(...args) }) as SosStep;

/** An SOS with one event. */
export const sosCall = (more: Partial<SosCall> = {}): SosCall => {
  const { state = 'declared', received_at = at(0), delivery = 'waiting', dead_letter = null } = more;
  return {
    integration_id: 'a',
    name: null,
    source: '300434030000001',
    state,
    received_at,
    open: true,
    delivery,
    dead_letter,
    events: [{ event_id: 'event', state, recorded_at: received_at, received_at, delivery, dead_letter, steps: [] }],
    ...more,
  };
};

/** State and delivery of each SOS, for short comparisons. */
export const brief = (calls: readonly SosCall[]): string[] =>
  calls.map(
    ({ source, state, delivery, open }) =>
      `${source} ${state} ${delivery satisfies Delivery} ${open ? 'open' : 'closed'}`,
  );
