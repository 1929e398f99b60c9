import type { Bus } from '@ranger-relay/bus';
import { topicOfEvent, topics } from '@ranger-relay/contracts';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { replayPush } from '@ranger-relay/message-pusher';
import type { Context } from '@ranger-relay/runtime';
import { groupBySize } from './groups.ts';
import { readLetters, type LetterHead, type StoredLetter } from './letters.ts';
import { letterMark, markLetter } from './marks.ts';
import { eventOf, eventRecordOf } from './replay-event.ts';
import { replayWebhookLetter, type Stored } from './replay-webhook.ts';

/** What replaying works with. */
export interface ReplayParts extends Pick<Context, 'clock' | 'random' | 'metrics'> {
  readonly bus: Bus;
  readonly kv: KeyValue;
  /** Attribute that tells one text to devices from another (PUSH_ID_ATTRIBUTE). */
  readonly idAttribute: string;
}

/** What became of one letter. */
export type Replayed =
  | { readonly head: LetterHead; readonly ok: true; readonly stored: Stored }
  | { readonly head: LetterHead; readonly ok: false; readonly error: RelayError };

const claimMs = 60_000;
/** Bodies that are held in memory at once, bytes. */
const groupBytes = 32 * 1_048_576;

const sendEvent = async (letter: StoredLetter, bus: Bus): Promise<Stored> => {
  const event = eventOf(letter);
  await bus.publish(topicOfEvent(event), [eventRecordOf(letter, event)]);
  return { observations: Number(event.observation !== null), messages: Number(event.message !== null) };
};

const sendTexts = async (letter: StoredLetter, { bus, kv, clock, idAttribute }: ReplayParts): Promise<Stored> => {
  const records = await replayPush(letter, { state: kv.state, clock, idAttribute });
  await bus.publish(topics.outboundMessages.name, records);
  return { observations: 0, messages: records.length };
};

const send = async (letter: StoredLetter, parts: ReplayParts): Promise<Stored> => {
  if (letter.kind === 'observation' || letter.kind === 'message') return sendEvent(letter, parts.bus);
  if (letter.kind === 'webhook_body' || letter.kind === 'webhook_event')
    return replayWebhookLetter(letter, { ...parts, config: parts.kv.config });
  if (letter.kind === 'push_message') return sendTexts(letter, parts);
  const reason = `its kind is ${letter.kind}, which only the service that wrote it could replay`;
  throw new RelayError('dead_letter_not_replayable', { details: { id: letter.id, reason } });
};

/** Replays one letter under a claim, so that two people at once do not send it twice. */
const replayOne = async (letter: StoredLetter, parts: ReplayParts): Promise<Stored> => {
  const { kv, clock } = parts;
  const claim = `dlq-claim.${letter.id}`;
  if (!(await kv.state.setIfAbsent(claim, 'claimed', { ttlMs: claimMs }))) {
    const reason = 'another process works on it now';
    throw new RelayError('dead_letter_not_replayable', { details: { id: letter.id, reason } });
  }
  try {
    if ((await letterMark(kv.state, letter.id)) !== null)
      throw new RelayError('dead_letter_unknown', { details: { id: letter.id } });
    const stored = await send(letter, parts);
    await markLetter(kv.state, clock, letter.id, 'replayed');
    return stored;
  } finally {
    // Left to expire when the store is away; what happened to the letter is what counts.
    await kv.state.delete(claim).catch(() => false);
  }
};

/** Replays letters one after the other in the order given; a failing one keeps no other back. Yields what became of each. */
export async function* replayLetters(heads: readonly LetterHead[], parts: ReplayParts): AsyncGenerator<Replayed> {
  for (const group of groupBySize(heads, groupBytes)) {
    const letters = await readLetters(parts.bus, new Set(group.map(({ id }) => id)));
    for (const head of group) {
      const letter = letters.get(head.id);
      try {
        if (!letter) throw new RelayError('dead_letter_unknown', { details: { id: head.id } });
        yield { head, ok: true, stored: await replayOne(letter, parts) };
      } catch (error) {
        yield { head, ok: false, error: toRelayError(error) };
      }
    }
  }
}
