import type { ChangeAnswer } from '@ranger-relay/platform';
import type { TakingDependencies } from './parts.ts';
import { type EventRecord, saveRecord } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** Thrown when the platform does not know the id that it gave an event, and has never taken a change of it: the event is posted anew. */
export class DroppedByPlatform extends Error {
  override readonly name = 'DroppedByPlatform';
}

/** One event that the platform has, while it is being updated. */
export interface OneEvent {
  readonly event: SiteEvent;
  record(): EventRecord;
  /** @throws RelayError of the state */
  save(record: EventRecord): Promise<void>;
  /** Makes a call about the event. @throws DroppedByPlatform; what `ask` throws; RelayError of the state */
  call(ask: (objectId: string) => Promise<ChangeAnswer>): Promise<ChangeAnswer>;
}

/** Starts the update of an event that the platform has under an id. */
export const beginEvent = (
  { state }: Pick<TakingDependencies, 'state'>,
  event: SiteEvent,
  first: EventRecord & { readonly object_id: string },
): OneEvent => {
  let record: EventRecord = first;
  const save = async (next: EventRecord): Promise<void> => void (record = await saveRecord(state, event.id, next));
  return {
    event,
    record: () => record,
    save,
    async call(ask): Promise<ChangeAnswer> {
      const answer = await ask(first.object_id);
      if (record.confirmed === true) return answer;
      if (answer.kind === 'unknown_event') throw new DroppedByPlatform();
      if (answer.kind === 'accepted') await save({ ...record, confirmed: true });
      return answer;
    },
  };
};
