import type { MemoryBus } from '@ranger-relay/bus/testing';
import { topics, type DeadLetter, type SourceEvent } from '@ranger-relay/contracts';

/** Integrations of the tests: one with tokens, one disabled, one that has tokens but that the platform does not know. */
export const parkA = '11111111-1111-4111-8111-111111111111';
export const parkB = '22222222-2222-4222-8222-222222222222';
export const closedPark = '33333333-3333-4333-8333-333333333333';
export const gonePark = '44444444-4444-4444-8444-444444444444';

/** Members of a vendor event as a test writes them. */
export type Wire = Record<string, unknown>;

/** The moment at which test clocks start. */
export const startMs = Date.UTC(2026, 0, 1);

/** A complete position; override or, with undefined, leave out any member. */
export const wire = (parts: Wire = {}): Wire => ({
  imei: '300434030000000',
  messageCode: 0,
  freeText: null,
  timeStamp: startMs - 60_000,
  pingbackReceived: null,
  pingbackResponded: null,
  addresses: [],
  point: { latitude: -1.28612, longitude: 36.81722, altitude: 1661.5, gpsFix: 2, course: 337.5, speed: 58.665 },
  status: { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
  payload: null,
  transportMode: 'Satellite',
  ...parts,
});

/** A ranger's text. */
export const text = (freeText: string, parts: Wire = {}): Wire => wire({ messageCode: 3, freeText, ...parts });

/** The body of one POST. */
export const body = (events: readonly unknown[], version: unknown = '3.0'): string =>
  JSON.stringify({ Version: version, Events: events });

/** What the vendor sends as a point of a device without a fix. */
export const noFixPoint = { latitude: 0, longitude: 0, altitude: -422, gpsFix: 0, course: 0, speed: 0 };

/** The events that were published, in order. */
export const eventsOn = (bus: MemoryBus): SourceEvent[] =>
  bus.values(topics.sourceEvents.name, topics.emergencies.name) as unknown as SourceEvent[];

/** The dead letters that were published, in order. */
export const lettersOn = (bus: MemoryBus): DeadLetter[] =>
  bus.values(topics.deadLetters.name) as unknown as DeadLetter[];
