import { sosStateSchema, type SosState } from '@ranger-relay/contracts';
import { factsOf } from '@ranger-relay/device';
import { z } from 'zod';
import type { StoredLetter } from './stored.ts';

/** An SOS in a dead letter. */
export interface LetterSos {
  readonly state: SosState;
  /** The device; null when it cannot be read. */
  readonly source: string | null;
  /** Null where the event was never mapped. */
  readonly event_id: string | null;
}

const sourceEvent = z.looseObject({ sos: sosStateSchema, source: z.string(), event_id: z.string() });
const vendorEvent = z.looseObject({ messageCode: z.coerce.number(), imei: z.coerce.string().nullish() });
const envelope = z.looseObject({ Events: z.array(z.unknown()) });

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const ofVendor = (event: unknown): LetterSos[] => {
  const { data } = vendorEvent.safeParse(event);
  const state = data && factsOf(data.messageCode).sos;
  return state ? [{ state, source: data.imei ?? null, event_id: null }] : [];
};

/** A body that was cut, or is no JSON, may still name an SOS code. */
const ofText = (text: string): LetterSos[] =>
  [...text.matchAll(/"messageCode"\s*:\s*"?(\d{1,5})\b/g)].flatMap(([, code]) => ofVendor({ messageCode: code }));

/** The first SOS that a dead letter holds; null when it holds none. */
export const sosOf = ({ kind, body_base64: body }: Pick<StoredLetter, 'kind' | 'body_base64'>): LetterSos | null => {
  if (!['observation', 'message', 'webhook_event', 'webhook_body'].includes(kind)) return null;
  const text = Buffer.from(body, 'base64').toString('utf8');
  const value = parse(text);
  if (kind === 'observation' || kind === 'message') {
    const { data } = sourceEvent.safeParse(value);
    return data ? { state: data.sos, source: data.source, event_id: data.event_id } : null;
  }
  const events = envelope.safeParse(value).data?.Events ?? [value];
  return (value === undefined ? ofText(text) : events.flatMap(ofVendor))[0] ?? null;
};
