import { cleanText, RelayError } from '@ranger-relay/errors';
import { isObject, textOf } from '../payload.ts';
import { earliest, parseIso } from '../time.ts';

/** The result of parsing the `Timestamp` of a text. */
type Moment = { readonly ms: number } | { readonly problem: string };

const maxLength = 64;
/** .NET may append a zone, which does not change the instant. */
const dotNet = /^\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\/$/;

const parse = (text: string): number | undefined => {
  const digits = dotNet.exec(text)?.[1];
  return digits === undefined ? parseIso(text) : Number(digits);
};

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Parses a `Timestamp` (device contract, sections 5 and 7): `/Date(ms)/`, or ISO 8601 with a blank or a `T`. A missing or future timestamp
 * becomes `now`, because the vendor refuses future ones.
 * @param now ms since 1970
 */
export const readMoment = (value: unknown, now: number): Moment => {
  if (isMissing(value)) return { ms: now };
  const ms = typeof value === 'string' && value.length <= maxLength ? parse(value.trim()) : undefined;
  if (ms === undefined) return { problem: 'is neither /Date(ms)/ nor ISO 8601' };
  return ms < earliest ? { problem: 'is before 2011' } : { ms: Math.min(ms, now) };
};

/** Formats a timestamp in the form that the vendor accepts. */
export const writeMoment = (ms: number): string => `/Date(${Math.trunc(ms)})/`;

/** The reference point of a text in the vendor's units: degrees, metres, km/h, degrees true. */
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
 * Parses a `ReferencePoint` (device contract, section 5): missing numbers are 0. Omits the label, which would use up characters of the
 * text. Undefined when the platform sent none. The vendor checks the ranges.
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
 * The recipients of a transformed message, each once, in order; undefined when it has no list of recipients. Numbers become digits; an
 * entry that is not a device stays as a short text, so that its error can name it.
 */
export const readRecipients = (payload: unknown): string[] | undefined => {
  const list = isObject(payload) ? payload['Recipients'] : undefined;
  return Array.isArray(list) ? [...new Set(list.map(nameOf))] : undefined;
};

/** A text to be sent, without its recipient. */
export interface InboundText {
  /** 1 to 160 code points. */
  readonly text: string;
  /** E-mail address, or digits as in a phone number. */
  readonly sender: string;
  /** ms since 1970, from 2011 to now. */
  readonly timestamp: number;
  readonly referencePoint?: ReferencePoint;
}

const maxCharacters = 160;

const invalid = (field: string, problem: string): RelayError =>
  new RelayError('text_invalid', { details: { field, problem } });

/** Whether the vendor accepts the text as a device id: digits only. */
export const isRecipient = (recipient: string): boolean => /^\d{1,32}$/.test(recipient);

const isSender = (sender: string): boolean =>
  sender.length <= 254 && (/^[^\s@]+@[^\s@]+$/.test(sender) || /^\+?\d{1,20}$/.test(sender));

const textProblem = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return 'is missing';
  if (value === '') return 'is empty';
  // A code point has at most two code units, so a longer text does not need to be counted.
  const length = value.length > 2 * maxCharacters ? value.length : [...value].length;
  return length > maxCharacters ? `has ${length} characters, at most ${maxCharacters} are allowed` : undefined;
};

/**
 * Validates the payload of a transformed message before any call (device contract, sections 5 and 7). Texts are never truncated.
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

/** The error for a recipient that cannot be a device. */
export const recipientInvalid = (): RelayError => invalid('Recipients', 'has an entry that is not only digits');

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
