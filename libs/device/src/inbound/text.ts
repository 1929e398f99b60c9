import { cleanText, isObject, RelayError } from '@ranger-relay/errors';
import { textOf } from '../payload.ts';
import { earliest, parseIso } from '../time.ts';
import { type ReferencePoint, readReferencePoint } from './reference-point.ts';

const maxLength = 64;
/** .NET may append a zone, which does not change the instant. */
const dotNet = /^\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\/$/;

const parse = (text: string): number | undefined => {
  const digits = dotNet.exec(text)?.[1];
  return digits === undefined ? parseIso(text) : Number(digits);
};

/**
 * Reads a `Timestamp` (device contract, sections 5 and 7): `/Date(ms)/`, or ISO 8601 with a blank or a `T`. A missing, unreadable or future
 * timestamp, or one before 2011, becomes `now`: the vendor would refuse the text for it.
 * @param now ms since 1970
 */
export const readMoment = (value: unknown, now: number): number => {
  const ms = typeof value === 'string' && value.length <= maxLength ? parse(value.trim()) : undefined;
  return ms !== undefined && ms >= earliest && ms <= now ? ms : now;
};

/** Formats a timestamp in the form that the vendor accepts. */
export const writeMoment = (ms: number): string => `/Date(${Math.trunc(ms)})/`;

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
  /** E-mail address, or the digits of a phone number. */
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

const maxSenderLength = 1_000;
const maxMailLength = 254;
const mail = /^[^\s@<>]+@[^\s@<>]+$/;
const namedMail = /<\s*([^\s@<>]+@[^\s@<>]+)\s*>$/;
/** What people write between the digits of a number. */
const separators = /[\s.()\p{Pd}]/gu;

/**
 * Brings the sender into the form that the vendor takes (device contract, section 5): the address of `Name <mail>`, or the digits of a
 * number. Undefined when it is neither.
 */
export const readSender = (value: unknown): string | undefined => {
  const text = cleanText(textOf(value)).trim();
  if (text.length > maxSenderLength) return undefined;
  const address = namedMail.exec(text)?.[1] ?? text;
  if (mail.test(address)) return address.length > maxMailLength ? undefined : address;
  return /^\+?(\d{1,20})$/.exec(text.replaceAll(separators, ''))?.[1];
};

const textProblem = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return 'is missing';
  if (value === '') return 'is empty';
  const length = value.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ' ').length;
  return length > maxCharacters ? `has ${length} characters, at most ${maxCharacters} are allowed` : undefined;
};

/**
 * Validates the payload of a transformed message before any call (device contract, sections 5 and 7). Texts are never truncated.
 * @param now ms since 1970
 * @returns the text, or RelayError `text_invalid` naming the member and its problem, without its value
 */
export const readText = (payload: unknown, now: number): InboundText | RelayError => {
  const members = isObject(payload) ? payload : {};
  const { Message: given } = members;
  const text = typeof given === 'string' ? cleanText(given) : given;
  const problem = textProblem(text);
  if (problem !== undefined) return invalid('Message', problem);
  const sender = readSender(members['Sender']);
  if (sender === undefined) return invalid('Sender', 'is neither an e-mail address nor a number');
  const timestamp = readMoment(members['Timestamp'], now);
  const referencePoint = readReferencePoint(members['ReferencePoint']);
  return { text: String(text), sender, timestamp, ...(referencePoint ? { referencePoint } : {}) };
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
