import type { ChangeAnswer } from '@ranger-relay/platform';
import { createEventsOf } from './create.ts';
import { LeftForLater } from './failing.ts';
import { itemOf } from './map-event.ts';
import type { TakingDependencies } from './parts.ts';
import { type EventRecord, firstRecord, saveRecord } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** One event that the platform has, while it is being updated. */
export interface OneEvent {
  readonly event: SiteEvent;
  record(): EventRecord;
  /** Whether the event was posted as new, without what was sent before. */
  isAnew(): boolean;
  /** @throws RelayError of the state */
  save(record: EventRecord): Promise<void>;
  /**
   * Makes a call about the event. When the platform does not know the event and never took a change of it, the event is posted once more as
   * new and the call repeated: a duplicate event is better than a lost one.
   */
  call(ask: (objectId: string) => Promise<ChangeAnswer>): Promise<ChangeAnswer>;
}

const unknown: ChangeAnswer = { kind: 'unknown_event' };

/** Starts the update of an event that has a record. */
export const beginEvent = (parts: TakingDependencies, event: SiteEvent, first: EventRecord): OneEvent => {
  const { state, site, displays } = parts;
  let record = first;
  let renewed = false;
  let isAnew = false;

  const save = async (next: EventRecord): Promise<void> => void (record = await saveRecord(state, event.id, next));

  /** Posts the event as new: nothing of it has reached the platform, because no change of it was ever accepted. */
  const renew = async (): Promise<boolean> => {
    const attempt = (record.attempt ?? 1) + 1;
    const item = itemOf(event, { root: site.root, displays }, attempt);
    if (renewed || record.confirmed === true || item === undefined) return false;
    renewed = true;
    parts.log.warn({ event: event.id }, 'the platform lost an event; posting it again');
    const { id } = event;
    const anew = { ...firstRecord(event, item), attempt, posting: item };
    const posting = { id, event, record: anew, again: false, whole: false };
    const taken = (await createEventsOf(parts, [posting])).get(id);
    if (taken) [record, isAnew] = [taken, true];
    else if (parts.failing.has(id)) throw new LeftForLater();
    return taken !== undefined;
  };

  const one: OneEvent = {
    event,
    record: () => record,
    isAnew: () => isAnew,
    save,
    async call(ask): Promise<ChangeAnswer> {
      if (record.object_id === null) return unknown;
      const answer = await ask(record.object_id);
      if (answer.kind === 'accepted' && record.confirmed !== true)
        await save({ ...record, unsure: undefined, confirmed: true });
      return answer.kind === 'unknown_event' && (await renew()) ? one.call(ask) : answer;
    },
  };
  return one;
};
