import { openEnvelope, replayCommand, replayConfigEvent } from '@ranger-relay/actions';
import { type Bus, type OutgoingRecord, replayHeaders } from '@ranger-relay/bus';
import {
  commandsTopic,
  type DeadLetterKind,
  deadLetterKindSchema,
  sosStepOf,
  type SourceEvent,
  topicOfEvent,
  topics,
} from '@ranger-relay/contracts';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { replayPush } from '@ranger-relay/message-pusher';
import { configKey, decodeEntry } from '@ranger-relay/platform';
import { type Context, endsWithin } from '@ranger-relay/runtime';
import { letterMark, markLetter, type SosLog, type StoredLetter } from '@ranger-relay/service';
import { z } from 'zod';
import { type LetterHead, readLetters } from './letters.ts';
import { eventOutcome, type Sent as Outcome, textOutcome } from './outcome.ts';
import { eventOf, eventRecordOf, replayedEvent, replaySiteEvent, replayWebhookLetter, refuse } from './replay-kinds.ts';

/** Longest wait of a command for the log of SOS, ms. */
const maxLogMs = 5_000;

/** Waits for a step of the log of SOS; false when it was not written in time. */
export const waitForLog = (clock: Context['clock'], written: Promise<void>): Promise<boolean> =>
  endsWithin({ clock, ms: maxLogMs, ref: true }, written);

/** Groups letters, in order, so that the bodies of a group have at most this many bytes; a larger body forms its own group. */
export const groupBySize = <Head extends Pick<LetterHead, 'kept_bytes'>>(
  heads: readonly Head[],
  bytes: number,
): Head[][] => {
  const groups: Head[][] = [];
  let room = -1;
  for (const head of heads) {
    if (head.kept_bytes > room) {
      groups.push([]);
      room = bytes;
    }
    groups.at(-1)?.push(head);
    room -= head.kept_bytes;
  }
  return groups;
};

/** Dependencies of replaying. */
interface ReplayDependencies extends Pick<Context, 'clock' | 'random' | 'metrics'> {
  readonly bus: Bus;
  readonly sosLog: SosLog;
  readonly kv: KeyValue;
  /** Attribute that tells one text to devices from another (PUSH_ID_ATTRIBUTE). */
  readonly idAttribute: string;
  /** Topic of commands (INTEGRATION_COMMANDS_TOPIC), when it is not `<type>-actions-topic`. */
  readonly commandsTopicName?: string | undefined;
}

/** Number of resent items, by kind. */
export type Stored = Partial<
  Record<'observations' | 'messages' | 'site_events' | 'texts' | 'commands' | 'changes', number>
>;

/** What was sent again. */
interface Sent {
  readonly stored: Stored;
  /** Ask the store what becomes of its parts; left out where only the activity log tells. */
  readonly outcomes?: Outcome['outcomes'];
  /** The events that it was sent as. */
  readonly eventIds?: readonly string[];
}

type Replayer = (letter: StoredLetter, parts: ReplayDependencies) => Promise<Sent>;

const typeSchema = z.looseObject({ type: z.looseObject({ value: z.string() }) });

/** Outcome of one letter. */
export type Replayed =
  | (Outcome & { readonly ok: true; readonly stored: Stored })
  | { readonly head: LetterHead; readonly ok: false; readonly error: RelayError };

const claimMs = 60_000;
/** Bodies that are held in memory at once, bytes. */
const groupBytes = 32 * 1_048_576;

/** What identifies an event, without its body, which would stay in memory as long as its outcome is waited for. */
const refOf = ({ integration_id, source, event_id, sos }: SourceEvent) => ({ integration_id, source, event_id, sos });

/** How what becomes of events is known. */
const followed = (events: readonly SourceEvent[]): Omit<Sent, 'stored'> => ({
  outcomes: events.map(refOf).map((ref) => (state) => eventOutcome(state, ref)),
  eventIds: events.map(({ event_id: id }) => id),
});

const sendEvent: Replayer = async (letter, { bus, sosLog, clock }) => {
  const event = eventOf(letter);
  const again = replayedEvent(letter, event);
  await bus.publish(topicOfEvent(event), [eventRecordOf(letter, again)]);
  const step = { step: 'replayed', dead_letter: letterRef(letter) } as const;
  await waitForLog(clock, sosLog.write([sosStepOf(event, clock.now(), step)]));
  const stored = { observations: Number(event.observation !== null), messages: Number(event.message !== null) };
  return { stored, ...followed([again]) };
};

const sendTexts: Replayer = async (letter, { bus, kv, clock, idAttribute }) => {
  const texts = await replayPush(letter, { state: kv.state, clock, idAttribute });
  const headers = texts.length === 1 ? replayHeaders(letter) : {};
  const records = texts.map(({ record }) => ({ ...record, headers: { ...record.headers, ...headers } }));
  await bus.publish(topics.outboundMessages.name, records);
  const stored = { texts: texts.length };
  const keys = texts.map(({ entryKey }) => entryKey);
  return {
    stored,
    outcomes: keys.map((key) => (state) => textOutcome(state, key)),
  };
};

const letterRef = ({ id, attempts }: StoredLetter) => ({ id, attempts });

/** Commands topic of an integration: the topic of the letter, else by the type of the integration. */
const commandsTopicFor = async (
  { id, origin }: StoredLetter,
  integrationId: string,
  { kv, commandsTopicName }: ReplayDependencies,
): Promise<string> => {
  if (origin) return origin.topic;
  if (commandsTopicName !== undefined) return commandsTopicName;
  const cached = decodeEntry(await kv.config.get(configKey.integration(integrationId)));
  const type = typeSchema.safeParse(cached?.value).data?.type.value;
  if (type !== undefined) return commandsTopic(type).name;
  throw refuse(id, 'the type of its integration is not in the store; name the topic in INTEGRATION_COMMANDS_TOPIC');
};

const sendCommand = async (
  letter: StoredLetter,
  record: OutgoingRecord,
  integrationId: string,
  parts: ReplayDependencies,
): Promise<Sent> => {
  await parts.bus.publish(await commandsTopicFor(letter, integrationId, parts), [record]);
  return { stored: { commands: 1 } };
};

const sendEnvelope: Replayer = async (letter, parts) => {
  const opened = openEnvelope(letter, parts.clock);
  if (opened.kind === 'command') return sendCommand(letter, opened.record, opened.integrationId, parts);
  return sendTexts({ ...letter, integration_id: opened.integrationId }, parts);
};

const sendConfigEvent: Replayer = async (letter, { bus }) => {
  await bus.publish(topics.configEvents.name, [replayConfigEvent(letter)]);
  return { stored: { changes: 1 } };
};

const sendSiteEvent: Replayer = async (letter, { bus }) => {
  await bus.publish(topics.siteEvents.name, [replaySiteEvent(letter)]);
  return { stored: { site_events: 1 } };
};

const sendWebhook: Replayer = async (letter, parts) => {
  const { stored, events } = await replayWebhookLetter(letter, { ...parts, config: parts.kv.config });
  return { stored, ...followed(events) };
};

/** How letters of each kind are sent again. */
const replayers: Readonly<Record<DeadLetterKind, Replayer>> = {
  webhook_body: sendWebhook,
  webhook_event: sendWebhook,
  observation: sendEvent,
  message: sendEvent,
  site_event: sendSiteEvent,
  push_envelope: sendEnvelope,
  push_message: sendTexts,
  command: (letter, parts) =>
    sendCommand(letter, replayCommand(letter, parts.clock), letter.integration_id ?? '', parts),
  config_event: sendConfigEvent,
};

const send = async (letter: StoredLetter, parts: ReplayDependencies): Promise<Sent> => {
  const kind = deadLetterKindSchema.safeParse(letter.kind).data;
  if (kind === undefined) throw refuse(letter.id, `its kind ${letter.kind} is one of a newer version`);
  return replayers[kind](letter, parts);
};

/** Replays one letter under a claim, so that two concurrent calls do not send it twice. */
const replayOne = async (letter: StoredLetter, parts: ReplayDependencies): Promise<Sent> => {
  const { kv, clock } = parts;
  const claim = `dlq-claim.${letter.id}`;
  if (!(await kv.state.setIfAbsent(claim, 'claimed', { ttlMs: claimMs }))) {
    throw refuse(letter.id, 'another process is processing it');
  }
  try {
    if ((await letterMark(kv.state, letter)) !== null)
      throw new RelayError('dead_letter_unknown', { details: { id: letter.id } });
    const sent = await send(letter, parts);
    await markLetter(kv.state, clock, letter, 'replayed');
    return sent;
  } finally {
    // Expires by itself when the store is unavailable.
    await kv.state.delete(claim).catch(() => false);
  }
};

/** Replays letters in the given order; a failing letter does not delay others. Yields the outcome of each. */
export async function* replayLetters(
  heads: readonly LetterHead[],
  parts: ReplayDependencies,
): AsyncGenerator<Replayed> {
  for (const group of groupBySize(heads, groupBytes)) {
    const letters = await readLetters(parts.bus, new Set(group.map(({ id }) => id)));
    for (const head of group) {
      const letter = letters.get(head.id);
      try {
        if (!letter) throw new RelayError('dead_letter_unknown', { details: { id: head.id } });
        yield { head, ok: true, outcomes: null, eventIds: [], ...(await replayOne(letter, parts)) };
      } catch (error) {
        yield { head, ok: false, error: toRelayError(error) };
      }
    }
  }
}
