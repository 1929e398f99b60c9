import { isDeepStrictEqual } from 'node:util';
import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import { firstNames, resourceOf } from '../resources/index.ts';
import { type Replaced, valueText } from '../resources/object.ts';
import { type KnownRecords, valueName } from '../run/known-records.ts';

type LastValues = KnownRecords['lastValues'];

const unrecorded =
  'A run changes values that no run whose record is here has written; another area or an admin may use them';
const edited =
  'A run changes back values that a person, or an area whose records are elsewhere, has changed since the last run';
const importing =
  'Subjects that a run made inactive are active; an import of patrols may be running, which needs them until it ends';

/** Subjects have one area at a time, and nobody leaves the roster; all other objects belong to every area that names them. */
const isShared = ({ kind }: PlannedChange): boolean => kind !== 'subject' && kind !== 'roster';

/** Whose value a change replaces, as a sentence; undefined for a value that the runs of this area have left. */
const causeOf = (change: PlannedChange, value: Replaced, lastValues: LastValues, area: string): string | undefined => {
  const resource = resourceOf(change);
  const last = lastValues.get(resource.key(change))?.get(valueName(value));
  if (last === null) return undefined;
  if (last === undefined) return isShared(change) && value.before !== undefined ? unrecorded : undefined;
  if (!isDeepStrictEqual(last.value, value.before)) {
    const isActivated = change.kind === 'subject' && value.name === 'is_active' && value.before === true;
    return isActivated ? importing : edited;
  }
  // What one area has in use, no other area takes out of use: only texts go back and forth.
  if (!isShared(change) || last.area.uuid === area || typeof value.written !== 'string') return undefined;
  return `A run changes texts that area ${last.area.id} has written; its next run changes them back, until both bundles say the same`;
};

/** Warns of the values that a plan replaces and that somebody else has given: one warning for each cause. */
export const overwriteWarnings = ({ changes, conservation_area: area }: SyncPlan, lastValues: LastValues): string[] => {
  const byCause = new Map<string, string[]>();
  for (const change of changes) {
    // What is created, or was taken away as a whole, replaces nothing.
    if (change.action === 'created' || ('before' in change && change.before === null)) continue;
    const resource = resourceOf(change);
    for (const value of resource.values(change)) {
      if (isDeepStrictEqual(value.before, value.written)) continue;
      const cause = causeOf(change, value, lastValues, area.uuid);
      if (cause === undefined) continue;
      const names = byCause.get(cause) ?? [];
      byCause.set(cause, names);
      names.push(`${resource.name(change)}: ${valueText(value)}`);
    }
  }
  return [...byCause].map(([cause, names]) => `${cause} (${names.length}): ${firstNames(names)}`);
};
