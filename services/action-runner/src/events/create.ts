import { ActionFailure } from '@ranger-relay/actions';
import { isRelayError, toRelayError } from '@ranger-relay/errors';
import { newDeliveryAttempt, sendInChunks, type EventItem, type EventsAnswer } from '@ranger-relay/platform';
import { type FailingEvents, unlessLeft } from './failing.ts';
import { asAttempt } from './map-event.ts';
import type { TakingDependencies } from './parts.ts';
import { eventMembers, type EventRecord, platformNames, saveRecord } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** What identifies an event and its version. */
type Version = Pick<SiteEvent, 'id' | 'updatedAt'>;

/** An event to post: the platform does not have it, or may not have it. */
export interface Posting<E extends Version = SiteEvent> {
  /** The event as the site has it now. */
  readonly event: E;
  /** What is posted, without the number of an attempt. */
  readonly item: EventItem;
  /** The record once the platform has the event, but for its id; `attempt` is the number that the item carries. */
  readonly record: EventRecord;
  /** True when an equal item may have been posted: the platform drops it then, and answers with an id of no event. */
  readonly isRepeat: boolean;
}

/** Dependencies of posting events. */
export interface PostingDependencies<E extends Version = SiteEvent> extends Pick<
  TakingDependencies,
  'events' | 'integrationId' | 'signal' | 'state' | 'tally' | 'refusals' | 'random' | 'log'
> {
  readonly failing: Pick<FailingEvents, 'accepted' | 'mayHalve' | 'tries'> & {
    isHopeless(event: E, error: unknown): Promise<boolean>;
  };
  deadLetter(request: {
    readonly event: E;
    readonly item: EventItem;
    readonly reason: string;
    readonly fails?: boolean;
  }): Promise<void>;
}

/** A missing integration is not the fault of an event in the list: without its integration nothing can be sent. */
const notGone = (error: unknown): never => {
  if (!isRelayError(error, 'integration_gone')) throw error;
  throw new ActionFailure(error.message, { transient: false, cause: error });
};

/** The posting as one that equals no earlier one. */
export const asNewPosting = <E extends Version>(
  posting: Posting<E>,
  { random }: Pick<PostingDependencies, 'random'>,
): Posting<E> => ({ ...posting, record: { ...posting.record, attempt: newDeliveryAttempt(random) }, isRepeat: false });

const sentItem = ({ item, record: { attempt } }: Pick<Posting<Version>, 'item' | 'record'>): EventItem =>
  attempt === undefined ? item : asAttempt(item, attempt);

/** A change without effect; undefined when the event has no member to change. */
const idleChange = (item: EventItem): EventItem | undefined => {
  const name = eventMembers.map((member) => platformNames[member]).find((each) => item[each] !== undefined);
  return name === undefined ? undefined : { [name]: item[name] };
};

/** Asks the platform whether an id is of an event, by a change without effect. */
const isOfEvent = async (
  {
    events,
    integrationId,
    signal,
    failing,
  }: Pick<PostingDependencies, 'events' | 'integrationId' | 'signal'> & {
    readonly failing: Pick<FailingEvents, 'tries'>;
  },
  item: EventItem,
  id: string,
): Promise<boolean> => {
  const change = idleChange(item);
  if (change === undefined) return true;
  return (await events.patch(integrationId, id, change, { signal, tries: failing.tries() })).kind !== 'unknown_event';
};

/**
 * Posts events in lists of at most 100 (platform contract, `pull_events`). What may be posted is recorded before the call, and its result
 * after it. Refused events are dead-lettered. When the platform fails on a list, the list is split until the failing event is found, which
 * is left for later runs or dead-lettered. Where an answer was lost, the id of the next one may be of no event: the platform is asked, and
 * an event that it dropped is posted anew.
 * @returns the records of the accepted events, by event id
 * @throws RelayError of the platform, the state and the bus
 */
export const createEventsOf = async <E extends Version>(
  parts: PostingDependencies<E>,
  postings: readonly Posting<E>[],
): Promise<ReadonlyMap<string, EventRecord>> => {
  const { events, integrationId, signal, state, tally, refusals, failing } = parts;
  const taken = new Map<string, EventRecord>();
  const doubted = new Set(postings.filter(({ isRepeat }) => isRepeat).map(({ event }) => event.id));
  const dropped: Posting<E>[] = [];
  const save = ({ event }: Posting<E>, record: EventRecord): Promise<EventRecord> =>
    saveRecord(state, event.id, record);
  await Promise.all(postings.map((one) => save(one, { ...one.record, object_id: null, updated_at: null })));

  const post = (list: readonly Posting<E>[]): Promise<EventsAnswer> =>
    events.post(integrationId, list.map(sentItem), { signal, tries: failing.tries() }).catch(notGone);

  const giveUp = async (posting: Posting<E>, reason: string, fails: boolean): Promise<void> => {
    refusals.count += 1;
    const { event, record } = posting;
    await parts.deadLetter({ event, item: sentItem(posting), reason, ...(fails ? { fails } : {}) });
    const { attempt: _, ...rest } = record;
    // A refused event is retried when it changes.
    await save(posting, { ...rest, object_id: null, updated_at: event.updatedAt });
  };

  /** Leaves a failing event for later runs, or gives it up. */
  const leave = async (posting: Posting<E>, error: unknown): Promise<void> => {
    const isHopeless = await failing.isHopeless(posting.event, error).catch(unlessLeft);
    if (isHopeless) await giveUp(posting, toRelayError(error).message, true);
  };

  const accepted = async (posting: Posting<E>, id: string, isDoubtful: boolean): Promise<void> => {
    const { event, item, record } = posting;
    if (isDoubtful) {
      const isKnown = await isOfEvent(parts, item, id).catch(async (error: unknown) => leave(posting, error));
      if (isKnown === undefined) return;
      if (!isKnown) return void dropped.push(asNewPosting(posting, parts));
    }
    const { attempt, ...rest } = record;
    const isCertain = isDoubtful || attempt !== undefined;
    tally.events_extracted += 1;
    taken.set(event.id, await save(posting, { ...rest, object_id: id, ...(isCertain && { confirmed: true }) }));
  };

  await sendInChunks(postings, post, {
    async accepted(list, { ids, unsure }) {
      failing.accepted();
      await Promise.all(
        list.map((posting, index) => accepted(posting, ids[index] ?? '', unsure || doubted.has(posting.event.id))),
      );
    },
    refused: (posting, _code, reason) => giveUp(posting, reason, false),
    async failed(list, error) {
      const [posting, ...others] = list;
      if (isRelayError(error) && error.ambiguous) for (const { event } of list) doubted.add(event.id);
      if (!failing.mayHalve(error)) throw error;
      if (!posting || others.length > 0) return 'halve';
      await leave(posting, error);
      return 'leave';
    },
  });
  if (dropped.length === 0) return taken;
  parts.log.warn({ events: dropped.map(({ event }) => event.id) }, 'the platform dropped events; posting them again');
  return new Map([...taken, ...(await createEventsOf(parts, dropped))]);
};
