import { ActionFailure } from '@ranger-relay/actions';
import { isRelayError } from '@ranger-relay/errors';
import { sendInChunks, type EventItem, type EventsAnswer } from '@ranger-relay/platform';
import type { TakingParts } from './parts.ts';
import { saveRecord, type EventRecord } from './record.ts';

/** An event that the platform does not have, or may not have. */
export interface Posting {
  readonly id: string;
  /** With `posting`. */
  readonly record: EventRecord & { readonly posting: EventItem };
  /** An earlier run may have posted it. */
  readonly again: boolean;
  /** Of the site, now. */
  readonly updatedAt: string | null;
  /** Nothing more is to be done for it once the platform has it. */
  readonly whole: boolean;
}

/** One event that is not there is none of the list's fault: without its integration nothing can be sent. */
const notGone = (error: unknown): never => {
  if (!isRelayError(error, 'integration_gone')) throw error;
  throw new ActionFailure(error.message, { transient: false, cause: error });
};

const posted = ({ record, again, updatedAt, whole }: Posting, id: string, unsure: boolean): EventRecord => {
  const { posting: _, unsure: _before, ...rest } = record;
  const version = whole ? updatedAt : null;
  return { ...rest, object_id: id, updated_at: version, ...(unsure || again ? { unsure: true } : {}) };
};

/** A refused event has no object; it is tried again when it has changed. */
const refused = ({ record, updatedAt }: Posting): EventRecord => {
  const { posting: _, ...rest } = record;
  return { ...rest, object_id: null, updated_at: updatedAt };
};

/**
 * Posts events in lists of at most 100 (platform contract, `pull_events`). What is posted is written down before, and what came of it
 * after each call, so that a run that is killed in between posts exactly the same again. Refused ones go to the dead letters.
 * @returns the records of those that the platform took, by event id
 * @throws RelayError of the platform, the state and the bus
 */
export const createEventsOf = async (
  parts: TakingParts,
  postings: readonly Posting[],
): Promise<ReadonlyMap<string, EventRecord>> => {
  const { events, integrationId, signal, state, tally, refusals } = parts;
  const taken = new Map<string, EventRecord>();
  await Promise.all(postings.filter(({ again }) => !again).map(({ id, record }) => saveRecord(state, id, record)));

  const post = (list: readonly Posting[]): Promise<EventsAnswer> =>
    events
      .post(
        integrationId,
        list.map(({ record }) => record.posting),
        { signal },
      )
      .catch(notGone);

  await sendInChunks(postings, post, {
    async accepted(list, { ids, unsure }) {
      tally.events_extracted += list.length;
      await Promise.all(
        list.map(async (posting, index) => {
          const record = posted(posting, ids[index] ?? '', unsure);
          taken.set(posting.id, await saveRecord(state, posting.id, record));
        }),
      );
    },
    async refused(posting, _code, reason) {
      refusals.count += 1;
      await parts.bury({ eventId: posting.id, item: posting.record.posting, reason });
      await saveRecord(state, posting.id, refused(posting));
    },
  });
  return taken;
};
