import {
  ActionFailure,
  defineAction,
  replayRecord,
  type ActionContext,
  type ReplayedLetter,
} from '@ranger-relay/actions';
import type { OutgoingRecord } from '@ranger-relay/bus';
import { newCommand } from '@ranger-relay/contracts';
import { parseExactJson, RelayError } from '@ranger-relay/errors';
import type { EventItem } from '@ranger-relay/platform';
import type { Clock } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { SiteDependencies } from '../tools.ts';
import { createEventsOf } from './create.ts';
import { emptyTally } from './parts.ts';
import { eventMembers, type EventRecord, loadRecord, mayBePosted, platformNames, saveRecord } from './record.ts';

/** Input of a replay: the site's event id, and the item that the platform refused. */
const replayConfig = z.object({ event_id: z.string().min(1).max(200), item: z.record(z.string(), z.unknown()) });

type Context = ActionContext<z.output<typeof replayConfig>, unknown, Pick<SiteDependencies, 'events'>>;

/** Result of a replay; `known` – the platform has the event by now; `outdated` – the site has had another value since, which stands. */
interface ReplayResult {
  readonly status: 'created' | 'changed' | 'known' | 'outdated';
}

const refused = (reason: string): ActionFailure =>
  new ActionFailure(reason, { transient: false, type: 'bad_response' });

const unknownRecord: EventRecord = {
  object_id: null,
  updated_at: null,
  state: null,
  priority: null,
  title: null,
  seen_note_ids: [],
  seen_file_ids: [],
};

/** Whether the item is an event or a change: only a posted event has a time. */
const isWholeEvent = (item: EventItem): boolean => Object.hasOwn(item, 'recorded_at');

/** The item with the last known values, which the site may have changed since the item was refused. */
const withLastValues = (item: EventItem, record: EventRecord): EventItem => {
  const known = eventMembers.filter((member) => record[member] !== null);
  return { ...item, ...Object.fromEntries(known.map((member) => [platformNames[member], record[member]])) };
};

const rethrow = (_: unknown, error: unknown): Promise<never> => Promise.reject(error as Error);

/** Posts an event as a pull does, with its last values. @throws ActionFailure when the platform refuses it */
const create = async (context: Context, integrationId: string): Promise<ReplayResult> => {
  const { config, tools, stateOf } = context;
  const state = stateOf('pull_events');
  const before = (await loadRecord(state, config.event_id)) ?? unknownRecord;
  if (before.object_id !== null) return { status: 'known' };
  const posting = {
    event: { id: config.event_id, updatedAt: null },
    item: withLastValues(config.item, before),
    // Notes and files are left to the next pull that sees the event.
    record: { ...before, updated_at: null },
    isRepeat: mayBePosted(before),
  };
  const parts = {
    ...context,
    integrationId,
    state,
    events: tools.events,
    tally: emptyTally(),
    refusals: { count: 0 },
    failing: { accepted: () => undefined, mayHalve: () => false, tries: () => undefined, isHopeless: rethrow },
    deadLetter: ({ reason }: { readonly reason: string }) => Promise.reject(refused(reason)),
  };
  await createEventsOf(parts, [posting]).catch(async (error: unknown) => {
    if (error instanceof ActionFailure) await saveRecord(state, config.event_id, before);
    throw error;
  });
  return { status: 'created' };
};

/** Whether a change is of a value that the site replaced since: it would overwrite the newer one, which no pull would send again. */
const isOutdated = (record: EventRecord, item: EventItem): boolean =>
  eventMembers.some((member) => {
    const name = platformNames[member];
    return Object.hasOwn(item, name) && record[member] !== null && record[member] !== item[name];
  });

const change = async ({ config, tools, signal, stateOf }: Context, id: string): Promise<ReplayResult> => {
  const record = await loadRecord(stateOf('pull_events'), config.event_id);
  if (!record?.object_id) throw refused('The platform does not have the changed event');
  if (isOutdated(record, config.item)) return { status: 'outdated' };
  const answer = await tools.events.patch(id, record.object_id, config.item, { signal });
  if (answer.kind === 'refused') throw refused(answer.reason);
  if (answer.kind === 'unknown_event') throw refused('The platform no longer knows the event');
  return { status: 'changed' };
};

/** The action `replay_event`: sends an event, or a change of one, that the platform refused (see `dlq replay`). */
export const action_replay_event = defineAction({
  type: 'generic',
  internal: true,
  // A concurrent pull could send the same event.
  exclusive: 'pull_events',
  config: replayConfig,
  title: 'Replay an event',
  description: 'Sends an event that the platform had refused.',
  async run(context: Context): Promise<ReplayResult> {
    const { id } = context.integration;
    if (id === null) throw new RelayError('integration_unsaved', { details: { action: context.actionId } });
    return isWholeEvent(context.config.item) ? create(context, id) : change(context, id);
  },
});

const itemOf = ({ body_base64: body }: ReplayedLetter): EventItem | undefined => {
  try {
    return z.record(z.string(), z.unknown()).safeParse(parseExactJson(Buffer.from(body, 'base64').toString())).data;
  } catch {
    return undefined;
  }
};

/**
 * Builds the record of the commands topic that sends the event of a dead letter of kind `site_event` again.
 * @throws RelayError `dead_letter_not_replayable`
 */
export const replaySiteEvent = (letter: ReplayedLetter, clock: Pick<Clock, 'now'>): OutgoingRecord => {
  const { id, integration_id: integrationId, headers } = letter;
  const event = headers['event'];
  const item = letter.truncated ? undefined : itemOf(letter);
  if (integrationId === null || event === undefined || item === undefined)
    throw new RelayError('dead_letter_not_replayable', {
      details: { id, reason: 'the stored bytes are not an event of a site; it can only be dropped' },
    });
  const overrides = { event_id: event, item };
  const at = clock.now();
  const draft = { eventId: id, at, integrationId, actionId: 'replay_event', overrides, triggeredBy: 'manual' } as const;
  return replayRecord(letter, newCommand(draft), clock);
};
