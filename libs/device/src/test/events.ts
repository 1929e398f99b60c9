import type { SourceEvent } from '@ranger-relay/contracts';
import { createEventMapper, type Mapped, type Receipt } from '../map-event.ts';
import { readSettings } from '../settings.ts';

/** Members of a vendor event as a test writes them. */
export type Wire = Record<string, unknown>;

export const now = Date.UTC(2024, 3, 23, 13, 0, 0);
export const sentAt = 1_713_876_543_000;
export const imei = '300434030000000';

/** A complete position of protocol 3.0; override or, with undefined, leave out any member. */
export const wire = (parts: Wire = {}): Wire => {
  const event: Wire = {
    imei,
    messageCode: 0,
    freeText: null,
    timeStamp: sentAt,
    pingbackReceived: null,
    pingbackResponded: null,
    addresses: [],
    point: { latitude: -1.28612, longitude: 36.81722, altitude: 1661.5, gpsFix: 2, course: 337.5, speed: 58.665 },
    status: { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
    payload: null,
    transportMode: 'Satellite',
    ...parts,
  };
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined));
};

/** What the vendor sends as a point of a device without a fix. */
export const noFixPoint = { latitude: 0, longitude: 0, altitude: -422, gpsFix: 0, course: 0, speed: 0 };

/** A receipt at `now`, with webhook settings as the portal stores them. */
export const receipt = (settings: Wire = {}, parts: Partial<Receipt> = {}): Receipt => ({
  integrationId: '11111111-1111-4111-8111-111111111111',
  settings: readSettings(settings).settings,
  receivedAt: now,
  reference: now,
  bodyBytes: 1_000,
  ...parts,
});

/** Maps one event of a receipt. */
export const mapEvent = (event: unknown, of: Receipt): Mapped => createEventMapper(of)(event);

/** Maps one event with these settings. */
export const map = (event: unknown, settings: Wire = {}): Mapped => mapEvent(event, receipt(settings));

/** The record of an event that must yield one. */
export const recordOf = (event: unknown, settings: Wire = {}): SourceEvent => {
  const mapped = map(event, settings);
  if (mapped.kind !== 'mapped') throw new Error(`expected a record, got ${JSON.stringify(mapped)}`);
  return mapped.record;
};
