import { ActionFailure } from '@ranger-relay/actions';
import { isRelayError, toRelayError } from '@ranger-relay/errors';
import { sendInChunks, type EventItem, type EventsAnswer } from '@ranger-relay/platform';
import { unlessLeft } from './failing.ts';
import type { TakingDependencies } from './parts.ts';
import { saveRecord, type EventRecord } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** An event that the platform does not have, or may not have. */
export interface Posting {
  readonly id: string;
  /** Of the site, now. */
  readonly event: SiteEvent;
  /** With `posting`. */
  readonly record: EventRecord & { readonly posting: EventItem };
  /** An earlier run may have posted it. */
  readonly again: boolean;
  /** Nothing more is to be done for it once the platform has it. */
  readonly whole: boolean;
}

/** One event that is not there is none of the list's fault: without its integration nothing can be sent. */
const notGone = (error: unknown): never => {
  if (!isRelayError(error, 'integration_gone')) throw error;
  throw new ActionFailure(error.message, { transient: false, cause: error });
};

const posted = ({ record, again, event, whole }: Posting, id: string, unsure: boolean): EventRecord => {
  const { posting: _, unsure: _before, ...rest } = record;
  const version = whole ? event.updatedAt : null;
  return { ...rest, object_id: id, updated_at: version, ...(unsure || again ? { unsure: true } : {}) };
};

/** A refused event has no object; it is tried again when it has changed. */
const refused = ({ record, event }: Posting): EventRecord => {
  const { posting: _, ...rest } = record;
  return { ...rest, object_id: null, updated_at: event.updatedAt };
};

/**
 * Posts events in lists of at most 100 (platform contract, `pull_events`). What is posted is written down before, and what came of it
 * after each call, so that a run that is killed in between posts exactly the same again. Refused ones go to the dead letters; a list that the
 * platform fails on is searched for the event that makes it fail, which is left for later runs, or given up.
 * @returns the records of those that the platform took, by event id
 * @throws RelayError of the platform, the state and the bus
 */
export const createEventsOf = async (
  parts: TakingDependencies,
  postings: readonly Posting[],
): Promise<ReadonlyMap<string, EventRecord>> => {
  const { events, integrationId, signal, state, tally, refusals, failing } = parts;
  const taken = new Map<string, EventRecord>();
  await Promise.all(postings.filter(({ again }) => !again).map(({ id, record }) => saveRecord(state, id, record)));

  const post = (list: readonly Posting[]): Promise<EventsAnswer> =>
    events
      .post(
        integrationId,
        list.map(({ record }) => record.posting),
        { signal, tries: failing.tries() },
      )
      .catch(notGone);

  const giveUp = async (posting: Posting, reason: string, fails: boolean): Promise<void> => {
    refusals.count += 1;
    await parts.deadLetter({ eventId: posting.id, item: posting.record.posting, reason, ...(fails ? { fails } : {}) });
    await saveRecord(state, posting.id, refused(posting));
  };

  await sendInChunks(postings, post, {
    async accepted(list, { ids, unsure }) {
      failing.accepted();
      tally.events_extracted += list.length;
      await Promise.all(
        list.map(async (posting, index) => {
          const record = posted(posting, ids[index] ?? '', unsure);
          taken.set(posting.id, await saveRecord(state, posting.id, record));
        }),
      );
    },
    refused: (posting, _code, reason) => giveUp(posting, reason, false),
    async failed([posting, ...others], error) {
      if (!failing.mayHalve(error)) throw error;
      if (!posting || others.length > 0) return 'halve';
      const isHopeless = await failing.isHopeless(posting.event, error).catch(unlessLeft);
      if (isHopeless) await giveUp(posting, toRelayError(error).message, true);
      return 'leave';
    },
  });
  return taken;
};
