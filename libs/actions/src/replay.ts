import type { OutgoingRecord } from '@ranger-relay/bus';
import { commandKey, configEventKey, type DeadLetter, type RunActionCommand } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { examineConfigEvent } from '@ranger-relay/platform';
import type { Clock } from '@ranger-relay/runtime';
import { readCommand } from './bus/read-command.ts';
import { readPushedCommand } from './http/handlers/command.ts';
import { readData, readEnvelope } from './http/envelope.ts';
import { sentenceOfDetails, type Read } from './http/malformed.ts';

/** The members of a dead letter that a replay uses; its kind may come from a newer version. */
export type ReplayedLetter = Omit<DeadLetter, 'kind'>;

/** The content of a push envelope that can now be read. */
export type OpenedEnvelope =
  | { readonly kind: 'command'; readonly integrationId: string; readonly record: OutgoingRecord }
  /** Data for the push action of this integration. */
  | { readonly kind: 'push'; readonly integrationId: string };

const refuse = (id: string, reason: string): RelayError =>
  new RelayError('dead_letter_not_replayable', { details: { id, reason } });

/** Returns the bytes of a letter. @throws RelayError `dead_letter_not_replayable` when only their beginning was kept */
const bytesOf = ({ id, truncated, bytes, body_base64: body }: ReplayedLetter): Uint8Array => {
  if (truncated) throw refuse(id, `only the start of its ${bytes ?? 'many'} bytes is kept`);
  return Buffer.from(body, 'base64');
};

/** Returns the parsed value. @throws RelayError `dead_letter_not_replayable` with the problem */
const good = <T>({ id }: ReplayedLetter, read: Read<T>): T => {
  if (read.ok) return read.value;
  throw refuse(id, `it is still unreadable (${sentenceOfDetails(read.detail)})`);
};

/**
 * Builds the record that runs a command again. Its id derives from the id of the letter: the original command is already marked as
 * processed, and a repeated replay must run only once. A replay leaves a dead letter unless it succeeds.
 */
const replayRecord = (
  letter: Pick<DeadLetter, 'id'>,
  command: RunActionCommand,
  { now }: Pick<Clock, 'now'>,
): OutgoingRecord => {
  const at = new Date(now()).toISOString();
  const again: RunActionCommand = {
    ...command,
    event_id: `replay:${letter.id}`.slice(0, 200),
    timestamp: at,
    scheduled_at: at,
    payload: { ...command.payload, replay_of: letter.id },
  };
  return { key: commandKey(command.integration_id, command.action_id), value: JSON.stringify(again) };
};

/** Whether a command is a replay of a dead letter. */
export const isReplay = ({ payload }: RunActionCommand): boolean => payload?.['replay_of'] !== undefined;

/**
 * Builds the record that runs the command of a letter of kind `command` again, from a record of the commands topic or from the envelope of
 * a pushed command.
 * @throws RelayError `dead_letter_not_replayable`
 */
export const replayCommand = (letter: ReplayedLetter, clock: Pick<Clock, 'now'>): OutgoingRecord => {
  const bytes = bytesOf(letter);
  const record = readCommand(bytes);
  if (record.kind === 'command') return replayRecord(letter, record.command, clock);
  const pushed = readPushedCommand({ bytes, tooLarge: false });
  if (pushed.ok) return replayRecord(letter, pushed.value.command, clock);
  throw refuse(letter.id, 'the stored bytes are not a command that this version reads');
};

/**
 * Parses the envelope of a letter of kind `push_envelope` again, in the same way as the service that could not read it.
 * @throws RelayError `dead_letter_not_replayable` with the remaining problem
 */
export const openEnvelope = (letter: ReplayedLetter, clock: Pick<Clock, 'now'>): OpenedEnvelope => {
  const body = { bytes: bytesOf(letter), tooLarge: false };
  const opened = good(letter, readEnvelope(body));
  const data = good(letter, readData(opened));
  const pushed = readPushedCommand(body);
  if (pushed.ok) {
    const { command } = pushed.value;
    return {
      kind: 'command',
      integrationId: command.integration_id,
      record: replayRecord(letter, command, clock),
    };
  }
  const { destination_id: destination } = opened.attributes;
  if (destination !== undefined && typeof data['event_type'] === 'string')
    return { kind: 'push', integrationId: destination };
  throw refuse(letter.id, 'it is neither a command nor data for an integration');
};

/**
 * Builds the record of the topic `config-events` for a letter of kind `config_event`.
 * @throws RelayError `dead_letter_not_replayable` when the letter is still not a valid config event
 */
export const replayConfigEvent = (letter: ReplayedLetter): OutgoingRecord => {
  const opened = good(letter, readEnvelope({ bytes: bytesOf(letter), tooLarge: false }));
  const read = examineConfigEvent(opened.bytes, opened.attributes);
  if (read.kind === 'event') return { key: configEventKey(read.event), value: JSON.stringify(read.event) };
  throw refuse(letter.id, 'the stored bytes are not a config event that this version reads');
};
