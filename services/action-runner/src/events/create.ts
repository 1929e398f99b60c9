import { ActionFailure } from '@ranger-relay/actions';
import { isRelayError, toRelayError } from '@ranger-relay/errors';
import { sendInChunks, type EventItem, type EventsAnswer } from '@ranger-relay/platform';
import { unlessLeft } from './failing.ts';
import type { TakingDependencies } from './parts.ts';
import { saveRecord, type EventRecord } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** An event to post: the platform does not have it, or may not have it. */
export interface Posting {
  readonly id: string;
  /** The event as the site has it now. */
  readonly event: SiteEvent;
  /** Record with `posting` set. */
  readonly record: EventRecord & { readonly posting: EventItem };
  /** True when an earlier run may have posted it. */
  readonly again: boolean;
  /** True when nothing is left to do once the platform has the event. */
  readonly whole: boolean;
  /** The event as it is now, when `record` has an older version: posted once the older one is given up. */
  readonly newer?: Posting | undefined;
}

/** A missing integration is not the fault of an event in the list: without its integration nothing can be sent. */
const notGone = (error: unknown): never => {
  if (!isRelayError(error, 'integration_gone')) throw error;
  throw new ActionFailure(error.message, { transient: false, cause: error });
};

/** @param isDoubtful an earlier post of it may have reached the platform, so it is complete only when the platform takes a change of it */
const posted = ({ record, event, whole }: Posting, id: string, isDoubtful: boolean): EventRecord => {
  const { posting: _, unsure: _unsure, confirmed: _confirmed, ...rest } = record;
  return {
    ...rest,
    object_id: id,
    updated_at: whole && !isDoubtful ? event.updatedAt : null,
    ...(isDoubtful && { unsure: true }),
  };
};

/** A refused event has no object; it is retried when it changes. */
const refused = ({ record, event }: Posting): EventRecord => {
  const { posting: _, ...rest } = record;
  return { ...rest, object_id: null, updated_at: event.updatedAt };
};

/**
 * Posts events in lists of at most 100 (platform contract, `pull_events`). Each posting is recorded before the call and its result after
 * the call, so that a run after a crash posts exactly the same again. Refused events are dead-lettered. When the platform fails on a list,
 * the list is split until the failing event is found, which is left for later runs or dead-lettered; its newer version is then posted.
 * @returns the records of the accepted events, by event id
 * @throws RelayError of the platform, the state and the bus
 */
export const createEventsOf = async (
  parts: TakingDependencies,
  postings: readonly Posting[],
): Promise<ReadonlyMap<string, EventRecord>> => {
  const { events, integrationId, signal, state, tally, refusals, failing } = parts;
  const taken = new Map<string, EventRecord>();
  const doubted = new Set<string>();
  const newer: Posting[] = [];
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
    const { event, record } = posting;
    await parts.deadLetter({ event, item: record.posting, reason, ...(fails ? { fails } : {}) });
    if (posting.newer) newer.push(posting.newer);
    else await saveRecord(state, posting.id, refused(posting));
  };

  await sendInChunks(postings, post, {
    async accepted(list, { ids, unsure }) {
      failing.accepted();
      tally.events_extracted += list.length;
      await Promise.all(
        list.map(async (posting, index) => {
          const isDoubtful = unsure || posting.again || doubted.has(posting.id);
          const record = posted(posting, ids[index] ?? '', isDoubtful);
          taken.set(posting.id, await saveRecord(state, posting.id, record));
        }),
      );
    },
    refused: (posting, _code, reason) => giveUp(posting, reason, false),
    async failed(list, error) {
      const [posting, ...others] = list;
      if (isRelayError(error) && error.ambiguous) for (const { id } of list) doubted.add(id);
      if (!failing.mayHalve(error)) throw error;
      if (!posting || others.length > 0) return 'halve';
      const isHopeless = await failing.isHopeless(posting.event, error).catch(unlessLeft);
      if (isHopeless) await giveUp(posting, toRelayError(error).message, true);
      return 'leave';
    },
  });
  return newer.length === 0 ? taken : new Map([...taken, ...(await createEventsOf(parts, newer))]);
};
