import type { Message, Observation, SourceEvent } from '@ranger-relay/contracts';
import type { Marks } from './additional.ts';
import { factsOf, type CodeFacts } from './codes.ts';
import { eventIdOf } from './event-id.ts';
import { readFix, type Fix } from './fix.ts';
import { messageOf } from './message.ts';
import { observationOf } from './observation.ts';
import { readEvent, type DeviceEvent, type UnreadableCode } from './payload.ts';
import type { WebhookSettings } from './settings.ts';
import { isTooLarge } from './size.ts';
import { isoTime, readTime, type EventTime } from './time.ts';

/** Why an event yields no observation although observations are wanted. */
export type Skip = 'skipped_no_fix' | 'skipped_no_time';

/** Registered reason of a rejected event. */
export type RejectCode = UnreadableCode | 'bad_time' | 'event_too_large';

/** What becomes of one event. */
export type Mapped =
  | { readonly kind: 'mapped'; readonly record: SourceEvent; readonly skip: Skip | null }
  /** Nothing goes out; `not_wanted` by the settings. */
  | { readonly kind: 'counted'; readonly as: Skip | 'test_events' | 'not_wanted' }
  /** To the dead letters; its neighbours go on. */
  | { readonly kind: 'rejected'; readonly code: RejectCode };

/** What the events of one body share. */
export interface Receipt {
  readonly integrationId: string;
  readonly settings: WebhookSettings;
  /** ms since 1970. */
  readonly receivedAt: number;
  /** The latest moment that is known to have come, ms since 1970: event times are judged by it. */
  readonly reference: number;
  /** Size of the body, an upper bound of each event's. */
  readonly bodyBytes: number;
}

/** Sender of the vendor's daily heartbeat. */
const heartbeatImei = '300234010961140';

const isTest = (event: DeviceEvent, time: EventTime, { sos }: CodeFacts): boolean =>
  event.source === heartbeatImei || (time.kind === 'sentinel' && sos === null);

const observe = (
  event: DeviceEvent,
  time: EventTime,
  fix: Fix,
  recordedAt: string,
  marks: Marks,
): Observation | Skip => {
  if (time.kind === 'missing') return fix.kind === 'usable' || marks.noFix ? 'skipped_no_time' : 'skipped_no_fix';
  if (fix.kind === 'usable') return observationOf(event, recordedAt, { lat: fix.latitude, lon: fix.longitude }, marks);
  return marks.noFix ? observationOf(event, recordedAt, { lat: 0, lon: 0 }, marks) : 'skipped_no_fix';
};

const sosText = (sos: string, freeText: string): string => `SOS ${sos}${freeText === '' ? '' : ` ${freeText}`}`;

const message = (
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
  if (sos !== null && (location === null || !(wanted || observed)))
    return messageOf(event, sosText(sos, event.freeText), recordedAt, location, marks);
  return wanted ? messageOf(event, event.freeText, recordedAt, location, marks) : null;
};

const mapReadable = (event: DeviceEvent, receipt: Receipt, receivedText: string): Mapped => {
  const { settings, integrationId, receivedAt, reference } = receipt;
  const facts = factsOf(event.messageCode);
  const time = readTime(event.timeStamp, reference);
  if (isTest(event, time, facts)) return { kind: 'counted', as: 'test_events' };
  if (time.kind === 'bad' && facts.sos === null) return { kind: 'rejected', code: 'bad_time' };

  const fix = readFix(event.point, facts);
  const recordedAt = isoTime(time.kind === 'ok' ? time.ms : receivedAt);
  const marks = {
    staleFix: fix.kind === 'usable' && fix.stale,
    noFix: fix.kind === 'zero' && settings.includeNoFix,
    timeFromReceipt: facts.sos !== null && time.kind !== 'ok',
  };
  const seen = settings.includeObservations ? observe(event, time, fix, recordedAt, marks) : null;
  const skip = typeof seen === 'string' ? seen : null;
  const observation = typeof seen === 'string' ? null : seen;
  const text = message(event, fix, recordedAt, marks, settings, observation !== null);
  if (observation === null && text === null) return { kind: 'counted', as: skip ?? 'not_wanted' };

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
    message: text,
  };
  return { kind: 'mapped', record, skip };
};

/**
 * Makes the mapping of the events of one body (device contract, sections 1 to 3). It is total: never throws for anything that JSON can
 * hold, and an SOS with a device always yields a record. The depth of the events must be bounded before.
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
