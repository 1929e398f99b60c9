import { cleanText, RelayError } from '@ranger-relay/errors';
import { isObject, textOf } from '../payload.ts';
import { earliest, parseIso } from '../time.ts';

/** What the `Timestamp` of a text says. */
type Moment = { readonly ms: number } | { readonly problem: string };

const maxLength = 64;
/** .NET may append a zone, which changes only how the moment is shown. */
const dotNet = /^\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\/$/;

const parse = (text: string): number | undefined => {
  const digits = dotNet.exec(text)?.[1];
  return digits === undefined ? parseIso(text) : Number(digits);
};

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Reads a `Timestamp` (device contract, sections 5 and 7): `/Date(ms)/`, or ISO 8601 with a blank or a `T`. Missing is `now`, and so is the
 * future, which the vendor refuses.
 * @param now ms since 1970
 */
export const readMoment = (value: unknown, now: number): Moment => {
  if (isMissing(value)) return { ms: now };
  const ms = typeof value === 'string' && value.length <= maxLength ? parse(value.trim()) : undefined;
  if (ms === undefined) return { problem: 'is neither /Date(ms)/ nor ISO 8601' };
  return ms < earliest ? { problem: 'is before 2011' } : { ms: Math.min(ms, now) };
};

/** The form that the vendor takes. */
export const writeMoment = (ms: number): string => `/Date(${Math.trunc(ms)})/`;

/** Where a text refers to, as the vendor takes it: degrees, metres, km/h, degrees true. */
interface ReferencePoint {
  readonly LocationType: number;
  readonly Altitude: number;
  readonly Speed: number;
  readonly Course: number;
  readonly Coordinate: { readonly Latitude: number; readonly Longitude: number };
}

const numberOf = (value: unknown): number => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
};

/**
 * Reads a `ReferencePoint` (device contract, section 5): missing numbers are 0. A label is left out, it would take characters from the
 * text. Undefined when the platform gave none. Ranges are for the vendor to judge.
 */
const readReferencePoint = (value: unknown): ReferencePoint | undefined => {
  if (!isObject(value)) return undefined;
  const coordinate = isObject(value['Coordinate']) ? value['Coordinate'] : {};
  return {
    LocationType: numberOf(value['LocationType']),
    Altitude: numberOf(value['Altitude']),
    Speed: numberOf(value['Speed']),
    Course: numberOf(value['Course']),
    Coordinate: { Latitude: numberOf(coordinate['Latitude']), Longitude: numberOf(coordinate['Longitude']) },
  };
};

const maxRecipientLength = 64;

const nameOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value.trim() : (JSON.stringify(value) ?? '');
  return cleanText(text, maxRecipientLength);
};

/**
 * The recipients of a transformed message, each once, in order; undefined when it has no list of them. Numbers become digits; what is no
 * device stays as a short text, so that it can be named in what becomes of it.
 */
export const readRecipients = (payload: unknown): string[] | undefined => {
  const list = isObject(payload) ? payload['Recipients'] : undefined;
  return Array.isArray(list) ? [...new Set(list.map(nameOf))] : undefined;
};

/** A text that may be sent: everything but its recipient. */
export interface InboundText {
  /** 1 to 160 code points. */
  readonly text: string;
  /** E-mail address, or digits like a phone number. */
  readonly sender: string;
  /** ms since 1970, from 2011 to now. */
  readonly timestamp: number;
  readonly referencePoint?: ReferencePoint;
}

const maxCharacters = 160;

const invalid = (field: string, problem: string): RelayError =>
  new RelayError('text_invalid', { details: { field, problem } });

/** Whether the vendor takes it as a device: digits alone. */
export const isRecipient = (recipient: string): boolean => /^\d{1,32}$/.test(recipient);

const isSender = (sender: string): boolean =>
  sender.length <= 254 && (/^[^\s@]+@[^\s@]+$/.test(sender) || /^\+?\d{1,20}$/.test(sender));

const textProblem = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return 'is missing';
  if (value === '') return 'is empty';
  // A character takes at most two units, so a longer text needs no counting.
  const length = value.length > 2 * maxCharacters ? value.length : [...value].length;
  return length > maxCharacters ? `has ${length} characters, at most ${maxCharacters} are taken` : undefined;
};

/**
 * Checks the payload of a transformed message before any call (device contract, sections 5 and 7). Texts are never cut.
 * @param now ms since 1970
 * @returns the text, or RelayError `text_invalid` naming the member and its problem, without its value
 */
export const readText = (payload: unknown, now: number): InboundText | RelayError => {
  const members = isObject(payload) ? payload : {};
  const { Message: given, Sender: rawSender } = members;
  const text = typeof given === 'string' ? cleanText(given) : given;
  const problem = textProblem(text);
  if (problem !== undefined) return invalid('Message', problem);
  const sender = cleanText(textOf(rawSender)).trim();
  if (!isSender(sender)) return invalid('Sender', 'is neither an e-mail address nor a number');
  const moment = readMoment(members['Timestamp'], now);
  if ('problem' in moment) return invalid('Timestamp', moment.problem);
  const referencePoint = readReferencePoint(members['ReferencePoint']);
  return { text: String(text), sender, timestamp: moment.ms, ...(referencePoint ? { referencePoint } : {}) };
};

/** The error of a recipient that no device can have. */
export const recipientInvalid = (): RelayError => invalid('Recipients', 'has an entry that is not digits alone');

/** Body of the `Message` call: one text for one device. */
export const messageBody = ({ text, sender, timestamp, referencePoint }: InboundText, recipient: string): object => ({
  Messages: [
    {
      Recipients: [recipient],
      Sender: sender,
      Timestamp: writeMoment(timestamp),
      Message: text,
      ...(referencePoint ? { ReferencePoint: referencePoint } : {}),
    },
  ],
});
