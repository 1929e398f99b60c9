import type { Bus, BusRecord } from '@ranger-relay/bus';
import {
  type DeadLetter,
  deadLetterSchema,
  type EventPart,
  partsOf,
  type SosState,
  sosStateSchema,
  topics,
} from '@ranger-relay/contracts';
import { factsOf } from '@ranger-relay/device';
import { jsonOf } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { z } from 'zod';

/** A dead letter at one refusal: one that was replayed and refused again has counted more attempts. */
export type LetterRef = Pick<DeadLetter, 'id' | 'attempts'>;

/** The operator's decision about a dead letter. A letter without a mark is outstanding, and one that was refused again since. */
export interface LetterMark {
  readonly state: 'dropped' | 'replayed';
  /** ISO. */
  readonly at: string;
  /** Attempts of the letter that the decision is about. */
  readonly attempts: number;
}

const prefix = 'dlq.';
/** The retention of the topic. */
const keptMs = 30 * 86_400_000;

const markSchema = z.object({ state: z.enum(['dropped', 'replayed']), at: z.string(), attempts: z.number() });

/** Stores a decision. @throws RelayError `kv_unavailable` */
export const markLetter = (
  state: KvSpace,
  clock: Clock,
  { id, attempts }: LetterRef,
  decision: LetterMark['state'],
): Promise<void> => {
  const mark: LetterMark = { state: decision, at: new Date(clock.now()).toISOString(), attempts };
  return state.set(prefix + id, JSON.stringify(mark), { ttlMs: keptMs });
};

const markIn = (text: string | null, { attempts }: LetterRef): LetterMark | null => {
  const mark = text === null ? null : markSchema.parse(JSON.parse(text));
  return mark !== null && mark.attempts >= attempts ? mark : null;
};

/** Returns whether a letter is outstanding. @throws RelayError `kv_unavailable` */
export const outstandingLetters = async (state: KvSpace): Promise<(letter: LetterRef) => boolean> => {
  const marks = new Map((await state.list(prefix)).map(({ key, value }) => [key.slice(prefix.length), value]));
  return (letter) => markIn(marks.get(letter.id) ?? null, letter) === null;
};

/** Returns the decision about a letter; null when it is outstanding. @throws RelayError `kv_unavailable` */
export const letterMark = async (state: KvSpace, letter: LetterRef): Promise<LetterMark | null> =>
  markIn(await state.get(prefix + letter.id), letter);

/** An SOS in a dead letter. */
export interface LetterSos {
  readonly state: SosState;
  /** The device; null when it is unreadable. */
  readonly source: string | null;
  /** The event, also of a replay; null for one that was not mapped. */
  readonly event_id: string | null;
  /** Time of the device, ISO; null for an event that was not mapped. */
  readonly recorded_at: string | null;
  /** The parts that the letter holds; none of an event that was not mapped. */
  readonly parts: readonly EventPart[];
}

const part = z.looseObject({ recorded_at: z.string() }).nullable().catch(null);
const sourceEvent = z.looseObject({
  sos: sosStateSchema,
  source: z.string(),
  event_id: z.string(),
  replay_of: z.string().optional(),
  observation: part,
  message: part,
});

const vendorEvent = z.looseObject({ messageCode: z.coerce.number(), imei: z.coerce.string().nullish() });
const envelope = z.looseObject({ Events: z.array(z.unknown()) });

const ofVendor = (event: unknown): LetterSos[] => {
  const { data } = vendorEvent.safeParse(event);
  const state = data && factsOf(data.messageCode).sos;
  return state ? [{ state, source: data.imei ?? null, event_id: null, recorded_at: null, parts: [] }] : [];
};

/** A truncated body, or one that is not JSON, may still contain an SOS code. */
const ofText = (text: string): LetterSos[] =>
  [...text.matchAll(/"messageCode"\s*:\s*"?(\d{1,5})\b/g)].flatMap(([, code]) => ofVendor({ messageCode: code }));

/** Returns the first SOS in a dead letter; null when there is none. */
export const sosOf = ({ kind, body_base64: body }: Pick<StoredLetter, 'kind' | 'body_base64'>): LetterSos | null => {
  if (!['observation', 'message', 'webhook_event', 'webhook_body'].includes(kind)) return null;
  const text = Buffer.from(body, 'base64').toString('utf8');
  const value = jsonOf(text);
  if (kind === 'observation' || kind === 'message') {
    const { data } = sourceEvent.safeParse(value);
    if (!data) return null;
    const { sos: state, source, observation, message } = data;
    const recorded_at = message?.recorded_at ?? observation?.recorded_at ?? null;
    return {
      state,
      source,
      event_id: data.replay_of ?? data.event_id,
      recorded_at,
      parts: partsOf({ observation, message }),
    };
  }
  const events = envelope.safeParse(value).data?.Events ?? [value];
  return (value === undefined ? ofText(text) : events.flatMap(ofVendor))[0] ?? null;
};

/** A dead letter of this or a newer version, which may have other kinds. */
export type StoredLetter = Omit<DeadLetter, 'kind'> & { readonly kind: string };

const storedLetterSchema = deadLetterSchema.extend({ kind: z.string() });

/** Parses a record of the dead-letters topic; null when this version cannot read it. */
export const readLetter = (record: Pick<BusRecord, 'value'>): StoredLetter | null =>
  storedLetterSchema.safeParse(jsonOf(record.value)).data ?? null;

/**
 * Reads the dead letters since the last reading.
 * @param offsets next offset of each partition; updated with each record
 * @returns each record with its letter, null for one that this version cannot read
 * @throws RelayError of the bus
 */
export const lettersSince = async function* (
  bus: Pick<Bus, 'read'>,
  offsets: Map<number, bigint>,
): AsyncGenerator<{ readonly record: BusRecord; readonly letter: StoredLetter | null }> {
  for await (const record of bus.read({ topic: topics.deadLetters.name, offsets: new Map(offsets) })) {
    offsets.set(record.partition, record.offset + 1n);
    yield { record, letter: readLetter(record) };
  }
};
