import { isDeepStrictEqual } from 'node:util';
import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import type { Subject } from '@ranger-relay/site';
import { printable } from '@ranger-relay/terminal';
import { type Desired, resourceOf } from '../resources/index.ts';
import { quoted, type Replaced, valueText } from '../resources/object.ts';
import { type KnownRecords, type LastRun, valueName } from '../run/known-records.ts';
import { choiceKey } from '../resources/choice.ts';
import { isLater } from './subjects.ts';

type LastValues = KnownRecords['lastValues'];

/** Subjects of the site by their ids. */
type Present = ReadonlyMap<string, Subject>;

const unrecorded =
  'A run changes values that no run whose record is here has left; another area or an admin may use them';
const takenOut =
  'A run takes out of use what no run whose record is here has in use; where another area uses it, run with --checklist in the folder of the checklist of that area, whose records then count';
const edited =
  'A run changes back values that a person, or an area whose records are elsewhere, has changed since the last run';
const again = 'A run creates again what a person has deleted since the last run';
const importing =
  'Subjects that a run made inactive are active; an import of patrols may be running, which needs them until it ends. Where one is, run again once it has ended; where none is, a run makes them inactive again';

/** Subjects have one area at a time, and nobody leaves the roster; all other objects belong to every area that names them. */
const isShared = ({ kind }: PlannedChange): boolean => kind !== 'subject' && kind !== 'roster';

const isTakenOut = ({ name, before, written }: Replaced): boolean =>
  name === 'is_active' ? before === true && written === false : name.startsWith('deprecated of ') && written === true;

/**
 * Whether a value without a record may be somebody's: of what areas share any, of a subject what a person edits. Who becomes inactive is listed
 * by the plan.
 */
const isSomebodys = (change: PlannedChange, { key, before, written }: Replaced): boolean => {
  if (before === undefined || change.kind === 'roster' || change.action === 'created') return false;
  if (change.kind !== 'subject') return true;
  return (key === null && written !== false) || key === 'ext_agency' || key === 'ext_rank';
};

/** What a run of this area changes of the value that another area has left: a text, or that it is not in use. */
const besideArea = (id: string, { written }: Replaced): string =>
  typeof written === 'string'
    ? `A run changes texts that area ${id} has written; its next run changes them back, until both bundles say the same`
    : `A run puts in use again what area ${id} has out of use; it stays in use while one of the areas uses it`;

/** Whether a field of the form that runs have left is not there any more. */
const isGone = ({ kind }: PlannedChange, { before }: Replaced): boolean =>
  kind === 'universal_patrol_fields' && before === undefined;

/** Whose value a change replaces, as a sentence; undefined for a value that the runs of this area have left. */
const causeOf = (
  change: PlannedChange,
  value: Replaced,
  { lastValues, area }: { readonly lastValues: LastValues; readonly area: string },
): string | undefined => {
  const last = lastValues.get(resourceOf(change).key(change))?.get(valueName(value));
  // An undo took the value back: it is as it was before the run.
  if (last === null) return isSomebodys(change, value) ? unrecorded : undefined;
  // Perhaps with a part of its entry: of fields it leaves some, of members some.
  if (last?.isUndone && (value.before === undefined || change.kind === 'roster')) return undefined;
  const isOurs = last !== undefined && isDeepStrictEqual(last.value, value.before);
  if (last === undefined && isShared(change) && isTakenOut(value)) return takenOut;
  if (last === undefined) return isSomebodys(change, value) ? unrecorded : undefined;
  if (!isOurs && isGone(change, value)) return again;
  if (!isOurs) {
    const isActivated = change.kind === 'subject' && value.name === 'is_active' && value.before === true;
    return isActivated ? importing : edited;
  }
  // What another area has in use stays in use, unless its run was undone.
  return isShared(change) && last.area.uuid !== area && !isTakenOut(value)
    ? besideArea(last.area.title, value)
    : undefined;
};

/** Whether runs have left an object that is not there any more, and no undo went over it. */
const wasThere = (change: PlannedChange, lastValues: LastValues): boolean => {
  const values = [...(lastValues.get(resourceOf(change).key(change))?.values() ?? [])];
  return values.length > 0 && values.every((value) => value !== null && !value.isUndone);
};

const textOf = (change: PlannedChange, value: Replaced, present: Present): string => {
  const what = resourceOf(change).name(change);
  if (isGone(change, value)) return `${what}: field ${quoted(value.written)}`;
  if (change.kind !== 'roster') return `${what}: ${valueText(value)}`;
  return `${what}: ${quoted(present.get(value.key ?? '')?.name ?? value.key)} is no member and joins again`;
};

const warningOf = (cause: string, names: readonly string[]): string =>
  [`${cause} (${names.length}):`, ...names].join('\n  ');

/** Warns of the values that a plan replaces and that somebody else has given: one warning for each cause, which names all of them. */
export const overwriteWarnings = (
  { changes, conservation_area: area }: SyncPlan,
  lastValues: LastValues,
  subjects: readonly Subject[],
): string[] => {
  const byCause = new Map<string, string[]>();
  const present = new Map(subjects.map((subject) => [subject.id, subject]));
  const add = (cause: string, name: string): void => {
    const names = byCause.get(cause) ?? [];
    byCause.set(cause, names);
    names.push(printable(name));
  };
  for (const change of changes) {
    if (change.action === 'created' && wasThere(change, lastValues)) add(again, resourceOf(change).name(change));
    // What is created, or was taken away as a whole, replaces nothing.
    if (change.action === 'created' || ('before' in change && change.before === null)) continue;
    for (const value of resourceOf(change).values(change)) {
      if (isDeepStrictEqual(value.before, value.written)) continue;
      const cause = causeOf(change, value, { lastValues, area: area.uuid });
      if (cause !== undefined) add(cause, textOf(change, value, present));
    }
  }
  return [...byCause].map(([cause, names]) => warningOf(cause, names));
};

/** What the last run had in use and the bundle does not name any more, as the site knows it. */
const removed = ({ needs }: LastRun, { types, choices, fields }: Pick<Desired, 'types' | 'choices' | 'fields'>) => {
  const named = new Set(types.map(({ value }) => value));
  const properties = new Set(fields.map(({ property }) => property));
  const options = Object.entries(needs.choices).flatMap(([field, values]) => {
    const there = new Set((choices.get(field) ?? []).map(({ value }) => choiceKey(field, value)));
    return values.filter((value) => !there.has(choiceKey(field, value))).map((value) => `option ${value} of ${field}`);
  });
  return [
    ...options,
    ...needs.patrol_types.filter((value) => !named.has(value)).map((value) => `patrol type ${value}`),
    ...Object.keys(needs.fields)
      .filter((property) => !properties.has(property))
      .map((property) => `field ${property}`),
  ];
};

const maxNamed = 10;

/** Says how the bundle differs from that of the last run where a run changes nothing, or changes back. */
export const sinceLastRun = (
  last: LastRun | undefined,
  asked: Pick<Desired, 'types' | 'choices' | 'fields'>,
  exportedAt: string,
): string[] => {
  if (!last) return [];
  const names = removed(last, asked);
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return [
    ...(isLater(last.exportedAt, exportedAt)
      ? [
          `the bundle was exported at ${exportedAt}, before that of the last run (${last.exportedAt}): the run takes back what has changed in between`,
        ]
      : []),
    ...(names.length > 0
      ? [
          `the bundle does not name any more what the last run had in use: ${names.slice(0, maxNamed).join(', ')}${more}; a run leaves it as it is on the site`,
        ]
      : []),
  ];
};
