import type { Bus, BusRecord } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { type Clock, shareFlight } from '@ranger-relay/runtime';
import { lettersSince, readLetter, sosOf, type LetterSos, type StoredLetter } from '@ranger-relay/service';

/** A dead letter without its body and headers, and its place on the topic. */
export interface LetterHead {
  readonly id: string;
  readonly kind: string;
  readonly integration_id: string | null;
  readonly reason: string;
  readonly received_at: string;
  readonly failed_at: string;
  readonly attempts: number;
  /** Stored bytes of the body. */
  readonly kept_bytes: number;
  /** The SOS that it holds; null when it holds none. */
  readonly sos: LetterSos | null;
  /** Its place on the topic, and the id of the source event that it is about. */
  readonly stored: {
    readonly at: number;
    readonly partition: number;
    readonly offset: bigint;
    readonly event?: string | null;
  };
}

/** Index of the dead letters; each update reads only new records. */
export interface LetterIndex {
  /** Every letter that the topic still keeps, oldest first. @throws RelayError of the bus */
  heads(): Promise<readonly LetterHead[]>;
  /** The same with the earlier refusals of letters that were replayed and refused again. @throws RelayError of the bus */
  refusals(): Promise<readonly LetterHead[]>;
  /** Records on the topic that this version cannot read as dead letters. */
  unreadable(): number;
}

const topic = topics.deadLetters;

/** The id of the source event whose part a letter holds; null for a letter of another kind. */
export const eventIdIn = ({ kind, body_base64: body }: Pick<StoredLetter, 'kind' | 'body_base64'>): string | null =>
  kind === 'observation' || kind === 'message'
    ? (/"event_id":"([^"]+)"/.exec(Buffer.from(body, 'base64').toString('utf8'))?.[1] ?? null)
    : null;

const headOf = (letter: StoredLetter, record: BusRecord): LetterHead => ({
  id: letter.id,
  kind: letter.kind,
  integration_id: letter.integration_id,
  reason: letter.reason,
  received_at: letter.received_at,
  failed_at: letter.failed_at,
  attempts: letter.attempts,
  kept_bytes: Buffer.byteLength(letter.body_base64, 'base64'),
  sos: sosOf(letter),
  stored: { at: record.timestamp, partition: record.partition, offset: record.offset, event: eventIdIn(letter) },
});

const textOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** By receipt, then by storage: the order in which replayed events must be sent. */
const byAge = (a: LetterHead, b: LetterHead): number =>
  textOrder(a.received_at, b.received_at) ||
  a.stored.at - b.stored.at ||
  a.stored.partition - b.stored.partition ||
  Number(a.stored.offset - b.stored.offset);

/** Makes the index; it holds no bodies. Letters older than the topic's retention are forgotten. */
export const createLetterIndex = (bus: Pick<Bus, 'read'>, clock: Clock): LetterIndex => {
  const known = new Map<string, LetterHead>();
  const offsets = new Map<number, bigint>();
  let unreadable = 0;

  const readOn = shareFlight(async (): Promise<void> => {
    for await (const { record, letter } of lettersSince(bus, offsets))
      if (letter) known.set(`${letter.id} ${letter.attempts}`, headOf(letter, record));
      else unreadable += 1;
  });

  const refusals = async (): Promise<readonly LetterHead[]> => {
    await readOn();
    const oldest = clock.now() - topic.retentionMs;
    for (const [key, { stored }] of known) if (stored.at < oldest) known.delete(key);
    return [...known.values()].sort(byAge);
  };

  return {
    async heads() {
      const newest = new Map<string, LetterHead>();
      for (const head of await refusals())
        if (head.attempts > (newest.get(head.id)?.attempts ?? -1)) newest.set(head.id, head);
      return [...newest.values()];
    },
    refusals,
    unreadable: () => unreadable,
  };
};

/** Whole letters with these ids, in no order; of one that was refused again, the last. */
export const readLetters = async (bus: Bus, ids: ReadonlySet<string>): Promise<Map<string, StoredLetter>> => {
  const found = new Map<string, StoredLetter>();
  if (ids.size === 0) return found;
  for await (const record of bus.read({ topic: topic.name })) {
    const letter = readLetter(record);
    if (letter && ids.has(letter.id) && letter.attempts > (found.get(letter.id)?.attempts ?? -1))
      found.set(letter.id, letter);
  }
  return found;
};
