import type { PlannedChange, RecordedChange } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { planOutdated } from '../../apply/name.ts';
import { standingOf, towards } from '../replacement.ts';
import type { Done, StepParts } from './parts.ts';

type UpdateOf<Kind> = Extract<PlannedChange, { kind: Kind; action: 'updated' }>;
type Members = Readonly<Record<string, unknown>>;

/** How one kind of object is read, changed and written down. */
export interface Updated<T extends object> {
  readonly read: () => Promise<T | undefined>;
  readonly patch: (present: T, changes: Members) => Promise<void>;
  readonly recorded: (due: { readonly before: Members; readonly written: Members }) => RecordedChange;
}

/** Readings of an object that somebody else keeps changing. */
const maxReadings = 4;

/** What is still to be sent so that the object, as it is now, gets the planned values; undefined when it has them. */
const dueNow = (
  change: UpdateOf<'patrol_type' | 'choice' | 'subject'>,
  present: object | undefined,
  approved: boolean,
) => {
  if (present === undefined) {
    if (approved) throw planOutdated([change]);
    throw new RelayError('site_not_found', { details: { target: change.id } });
  }
  if (approved && standingOf(present, change) === 'changed') throw planOutdated([change]);
  return towards(present, change, 'written');
};

/**
 * Carries out an update on the object as it is just now, and writes down what that replaces. An object that somebody changes between the
 * reading and the write is read again.
 * @throws RelayError `plan_outdated`, `site_changed` and what reading and writing throw
 */
export const writeUpdate = async <T extends object>(
  { writes, course, fresh }: Pick<StepParts, 'writes' | 'course' | 'fresh'>,
  change: UpdateOf<'patrol_type' | 'choice' | 'subject'>,
  { read, patch, recorded }: Updated<T>,
): Promise<Done> => {
  for (let reading = 1; ; reading += 1) {
    const present = await read();
    const due = dueNow(change, present, course.approved);
    if (!due || !present) return 'already';
    try {
      await writes.write(recorded(due), async () => {
        await patch(present, due.written);
        return null;
      });
      return 'done';
    } catch (error) {
      if (reading === maxReadings || !isRelayError(error, 'site_changed')) throw error;
      fresh.forget();
    }
  }
};
