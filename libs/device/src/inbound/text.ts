import { cleanText, RelayError } from '@ranger-relay/errors';
import { isObject, textOf } from '../payload.ts';
import { readMoment, writeMoment } from './moment.ts';
import { readReferencePoint, type ReferencePoint } from './reference-point.ts';

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

const mostCharacters = 160;

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
  const length = value.length > 2 * mostCharacters ? value.length : [...value].length;
  return length > mostCharacters ? `has ${length} characters, at most ${mostCharacters} are taken` : undefined;
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
