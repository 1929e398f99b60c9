import { hash } from 'node:crypto';
import type { Message, Observation, SourceEvent } from '@ranger-relay/contracts';
import { addMarks, codeOf, type Marks, motionOf, statusOf } from './additional.ts';
import { type CodeFacts, factsOf } from './message-codes.ts';
import { type DeviceEvent, type DevicePoint, readEvent, type UnreadableCode } from './payload.ts';
import { isTooLarge, type WebhookSettings } from './settings.ts';
import { type EventTime, isoTime, readTime } from './time.ts';

const ofNothing = hash('sha256', '');
const sosSlotMs = 1_800_000;

/** When an event was received, ms since 1970, and whether that time replaces the unusable time of an SOS event. */
interface IdentityTime {
  readonly receivedAt: number;
  readonly sosWithoutTime: boolean;
}

const timeText = (value: unknown, { receivedAt, sosWithoutTime }: IdentityTime): string => {
  // For a device without a clock, an SOS on another day is a new event; its repetition within the half hour is not.
  if (sosWithoutTime) return new Date(receivedAt - (receivedAt % sosSlotMs)).toISOString();
  if (value === undefined || value === null || value === '')
    return new Date(receivedAt).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
};

/**
 * Identity of an event, the same for every repetition in any body (device contract, section 4, event_id): sha256 hex over the JSON text of
 * [integration, imei, time, code, latitude, longitude, sha256 of text or payload, media id if any]. The time is as sent; without one it is
 * the UTC date of receipt, and for an SOS without a usable time the half hour of receipt.
 */
const eventIdOf = (integrationId: string, event: DeviceEvent, time: IdentityTime): string => {
  const content = event.freeText || event.payload;
  const parts = [
    integrationId,
    event.source,
    timeText(event.timeStamp, time),
    event.messageCode,
    event.point?.latitude ?? null,
    event.point?.longitude ?? null,
    content === '' ? ofNothing : hash('sha256', content),
    ...(event.mediaId === null ? [] : [event.mediaId]),
  ];
  return hash('sha256', JSON.stringify(parts));
};

/** The quality of an event's point (device contract, section 1, bad fix or sentinel). */
type Fix =
  | { readonly kind: 'usable'; readonly latitude: number; readonly longitude: number; readonly stale: boolean }
  /** 0,0 from a device without a position. */
  | { readonly kind: 'zero' }
  /** No point, or coordinates that are missing or out of range. */
  | { readonly kind: 'none' }
  /** Coordinates that are no numbers. */
  | { readonly kind: 'unreadable' };

const none: Fix = { kind: 'none' };
const zero: Fix = { kind: 'zero' };
const unreadable: Fix = { kind: 'unreadable' };

/** Evaluates a point; null when the event has none. */
export const readFix = (point: DevicePoint | null, code: CodeFacts): Fix => {
  if (point === null) return none;
  const { latitude, longitude, gpsFix } = point;
  if (point.unreadable && !code.pointOptional) return unreadable;
  if (latitude === null || longitude === null || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return none;
  const withoutFix = gpsFix === 0 || gpsFix === null;
  if (latitude === 0 && longitude === 0 && (withoutFix || code.zeroIsNoFix)) return zero;
  return { kind: 'usable', latitude, longitude, stale: gpsFix === 0 };
};

/** Builds a message for the platform (device contract, section 3); without a usable fix it has no location. */
const messageOf = (
  event: DeviceEvent,
  text: string,
  recordedAt: string,
  location: Message['location'] | null,
  marks: Marks,
): Message => {
  const additional = {
    ...codeOf(event),
    status: statusOf(event.status),
    recipient_addresses: event.addresses,
    ...motionOf(event),
  };
  const message: Message = {
    source: event.source,
    sender: event.source,
    recipients: [],
    text,
    recorded_at: recordedAt,
    additional: addMarks(additional, event, marks),
  };
  return location ? { ...message, location } : message;
};

/** Builds an observation for the platform (device contract, section 3). */
const observationOf = (
  event: DeviceEvent,
  recordedAt: string,
  location: Observation['location'],
  marks: Marks,
): Observation => ({
  source: event.source,
  source_name: event.source,
  type: 'gps-radio',
  subject_type: 'ranger',
  recorded_at: recordedAt,
  location,
  additional: addMarks({ ...statusOf(event.status), ...motionOf(event), ...codeOf(event) }, event, marks),
});

/** The reason why an event yields no observation although observations are enabled. */
export type Skip = 'skipped_no_fix' | 'skipped_no_time';

/** Registered error code of a rejected event. */
export type RejectCode = UnreadableCode | 'bad_time' | 'bad_number' | 'event_too_large';

/** The result of mapping one event; `unread` names optional members that could not be read. */
export type Mapped =
  | {
      readonly kind: 'mapped';
      readonly record: SourceEvent;
      readonly skip: Skip | null;
      readonly unread: readonly string[];
    }
  /** The event produces no record; `not_wanted` means that the settings exclude it. */
  | { readonly kind: 'counted'; readonly as: Skip | 'test_events' | 'not_wanted'; readonly unread: readonly string[] }
  /** The event is dead-lettered; the other events of the body are still processed. */
  | { readonly kind: 'rejected'; readonly code: RejectCode };

/** The data that all events of one body share. */
export interface Receipt {
  readonly integrationId: string;
  readonly settings: WebhookSettings;
  /** ms since 1970. */
  readonly receivedAt: number;
  /** The latest time that is known to have passed, ms since 1970, against which event times are checked. */
  readonly reference: number;
  /** Size of the body, an upper bound of the size of each event. */
  readonly bodyBytes: number;
}

/** Device id of the vendor's daily heartbeat. */
const heartbeatImei = '300234010961140';

const isTest = (event: DeviceEvent, time: EventTime, { sos }: CodeFacts): boolean =>
  event.source === heartbeatImei || (time.kind === 'sentinel' && sos === null);

const observationFor = (
  event: DeviceEvent,
  time: EventTime,
  fix: Fix,
  recordedAt: string,
  marks: Marks,
): Observation | Skip | null => {
  if (fix.kind === 'unreadable') return null;
  if (time.kind === 'missing') return fix.kind === 'usable' || marks.noFix ? 'skipped_no_time' : 'skipped_no_fix';
  if (fix.kind === 'usable') return observationOf(event, recordedAt, { lat: fix.latitude, lon: fix.longitude }, marks);
  return marks.noFix ? observationOf(event, recordedAt, { lat: 0, lon: 0 }, marks) : 'skipped_no_fix';
};

const sosText = (sos: string, freeText: string): string => `SOS ${sos}${freeText === '' ? '' : ` ${freeText}`}`;

/** The message of an event, or null. A wanted event without a text becomes a message with an empty text. */
const messageFor = (
  event: DeviceEvent,
  fix: Fix,
  recordedAt: string,
  marks: Marks,
  settings: WebhookSettings,
  observed: boolean,
): Message | null => {
  const { sos } = factsOf(event.messageCode);
  const location = fix.kind === 'usable' ? { latitude: fix.latitude, longitude: fix.longitude } : null;
  const wanted = settings.includeMessages && settings.messageCodes.has(event.messageCode);
  // An SOS event that would otherwise reach nobody, or without a position, always yields a message.
  if (sos !== null && (location === null || !(wanted || observed)))
    return messageOf(event, sosText(sos, event.freeText), recordedAt, location, marks);
  return wanted ? messageOf(event, event.freeText, recordedAt, location, marks) : null;
};

const mapReadable = (event: DeviceEvent, receipt: Receipt, receivedText: string): Mapped => {
  const { settings, integrationId, receivedAt, reference } = receipt;
  const { unread } = event;
  const facts = factsOf(event.messageCode);
  const time = readTime(event.timeStamp, reference);
  if (isTest(event, time, facts)) return { kind: 'counted', as: 'test_events', unread };
  if (time.kind === 'bad' && facts.sos === null) return { kind: 'rejected', code: 'bad_time' };
  const fix = readFix(event.point, facts);
  if (fix.kind === 'unreadable' && facts.sos === null) return { kind: 'rejected', code: 'bad_number' };

  const recordedAt = isoTime(time.kind === 'ok' ? time.ms : receivedAt);
  const marks = {
    staleFix: fix.kind === 'usable' && fix.stale,
    noFix: fix.kind === 'zero' && settings.includeNoFix,
    fixUnreadable: fix.kind === 'unreadable',
    timeFromReceipt: facts.sos !== null && time.kind !== 'ok',
  };
  const seen = settings.includeObservations ? observationFor(event, time, fix, recordedAt, marks) : null;
  const skip = typeof seen === 'string' ? seen : null;
  const observation = typeof seen === 'string' ? null : seen;
  const message = messageFor(event, fix, recordedAt, marks, settings, observation !== null);
  if (observation === null && message === null) return { kind: 'counted', as: skip ?? 'not_wanted', unread };

  const record: SourceEvent = {
    v: 1,
    integration_id: integrationId,
    event_id: eventIdOf(integrationId, event, { receivedAt, sosWithoutTime: marks.timeFromReceipt }),
    received_at: receivedText,
    source: event.source,
    kind: 'device',
    message_code: event.messageCode,
    sos: facts.sos,
    observation,
    message,
  };
  return { kind: 'mapped', record, skip, unread };
};

/**
 * Creates the mapper for the events of one body (device contract, sections 1 to 3). The mapper never throws for any JSON value, and an SOS
 * with a device always yields a record. The caller must bound the depth of the events first.
 */
export const createEventMapper = (receipt: Receipt): ((value: unknown) => Mapped) => {
  const receivedText = new Date(receipt.receivedAt).toISOString();
  return (value) => {
    if (isTooLarge(value, receipt.bodyBytes)) return { kind: 'rejected', code: 'event_too_large' };
    const event = readEvent(value);
    if (typeof event === 'string') return { kind: 'rejected', code: event };
    return mapReadable(event, receipt, receivedText);
  };
};
