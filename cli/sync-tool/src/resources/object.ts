import { isDeepStrictEqual } from 'node:util';
import type { RecordedChange } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import { type Paint, printable } from '@ranger-relay/terminal';
import type { Outcome } from '../run/journal.ts';
import {
  already,
  type Applied,
  type ApplyContext,
  changedSince,
  type ChangeOf,
  planOutdated,
  type UndoContext,
  undone,
  type Undone,
} from './resource.ts';

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

/**
 * One value that an update replaces: a member, or a key of `additional`. Other writers also store keys in `additional`, which is sent as a
 * whole; an update covers only the keys that it changes.
 */
export interface Replaced {
  readonly name: string;
  readonly key: string | null;
  /** Undefined when the key is absent. */
  readonly before: unknown;
  readonly written: unknown;
}

/** A value that a record does not tell: what the importer wrote. No value of the site equals it. */
export const notRecorded = Symbol('not recorded');

/** Whether a record tells all that a run wrote. */
export const isRecorded = (written: unknown): boolean =>
  written !== notRecorded && Object.values(membersOf(written)).every((value) => isRecorded(value));

/** The values that an update replaces, as a plan or a record stores them. */
export interface Replacement {
  readonly before?: Members | undefined;
  readonly written: Members;
}

/** Whether an object has all of these members with these values; the order of members does not matter. */
export const sameMembers = (present: object, members: Members): boolean =>
  Object.entries(members).every(([name, value]) => isDeepStrictEqual((present as Members)[name], value));

const replacedKeys = (before: Members, written: Members): Replaced[] =>
  [...new Set([...Object.keys(before), ...Object.keys(written)])]
    .filter((key) => !isDeepStrictEqual(before[key], written[key]))
    .map((key) => ({ name: 'additional', key, before: before[key], written: written[key] }));

const replacedBy = ({ before = {}, written }: Replacement): Replaced[] =>
  Object.keys(before).flatMap((name) =>
    name === 'additional'
      ? replacedKeys(membersOf(before[name]), membersOf(written[name]))
      : [{ name, key: null, before: before[name], written: written[name] }],
  );

/** The values that a change writes, one by one; of a created object all of them. */
export const valuesOf = ({ before, written }: Replacement): readonly Replaced[] =>
  replacedBy({ before: before ?? Object.fromEntries(Object.keys(written).map((name) => [name, undefined])), written });

const valueIn = (present: object, { name, key }: Replaced): unknown => {
  const value = (present as Members)[name];
  return key === null ? value : membersOf(value)[key];
};

/** State of an object relative to an update: old values, new values, some of each, or other values (`changed`). */
export type Drift = 'before' | 'written' | 'between' | 'changed';

/** Compares the current values with those that an update replaces; ignores all other values. */
export const driftOf = (present: object, replacement: Replacement): Drift => {
  const replaced = replacedBy(replacement);
  const is = (side: 'before' | 'written') => (each: Replaced) => isDeepStrictEqual(valueIn(present, each), each[side]);
  if (replaced.every(is('before'))) return 'before';
  if (replaced.every(is('written'))) return 'written';
  return replaced.every((each) => is('before')(each) || is('written')(each)) ? 'between' : 'changed';
};

/** The patch that gives an object the values of one side of an update and keeps all others, with the values that the patch replaces. */
export const towards = (
  present: object,
  replacement: Replacement,
  side: 'before' | 'written',
): { readonly before: Members; readonly written: Members } | undefined => {
  const due = replacedBy(replacement).filter((each) => !isDeepStrictEqual(valueIn(present, each), each[side]));
  if (due.length === 0) return undefined;
  const written: Record<string, unknown> = {};
  for (const { name, key, [side]: value } of due) {
    if (key === null) written[name] = value;
    else {
      const whole: Record<string, unknown> = { ...membersOf(written[name] ?? (present as Members)[name]) };
      if (value === undefined) delete whole[key];
      else whole[key] = value;
      written[name] = whole;
    }
  }
  const before = Object.fromEntries(Object.keys(written).map((name) => [name, (present as Members)[name]]));
  return { before, written };
};

// Shared by patrol types, choices and subjects: objects with an id that are created, updated member by member and deactivated.

type ObjectKind = 'patrol_type' | 'choice' | 'subject';
type UpdateOf<K extends ObjectKind> = Extract<ChangeOf<K>, { action: 'updated' }>;

export const inactive = { is_active: false };

/** Formats a value of a planned change for the operator. */
export const quoted = (value: unknown): string =>
  typeof value === 'string' ? `"${printable(value)}"` : JSON.stringify(value);

/** Describes a value and its replacement: `display "A" → "B"`. */
export const valueText = ({ name, key, before, written }: Replaced): string =>
  `${key ?? name} ${quoted(before ?? null)} → ${quoted(written ?? null)}`;

/** Describes an update value by value; of `additional` only the keys that differ. */
export const describeUpdate = (change: Replacement): string =>
  replacedBy(change)
    .map((each) => valueText(each))
    .join(', ');

/** Formats a planned change of an object as a line of the plan; a text that the name does not have stands behind it. */
export const describeObject = (change: ChangeOf<ObjectKind>, name: string, paint: Paint): string[] => {
  if (change.action === 'created') {
    const { written } = change;
    const display = 'display' in written ? ` ${quoted(written.display)}` : '';
    return [`${paint.green('+')} ${printable(name)}${display}${written.is_active ? '' : ' (inactive)'}`];
  }
  const display = 'display' in change && !('display' in change.before) ? ` ${quoted(change.display)}` : '';
  return [`${paint.yellow('~')} ${printable(name)}${display}: ${describeUpdate(change)}`];
};

/**
 * What is still due of a change of an object; values that it does not write do not count, nor does the position, which people may change. The
 * hash of a plan does not cover ids, so the id in its file may belong to another object than the one that is meant.
 */
export const compareObject = <C extends ChangeOf<ObjectKind>>(
  present: { readonly id: string } | undefined,
  change: C,
): readonly C[] | 'outdated' => {
  if (change.action === 'created') {
    if (present === undefined) return [change];
    const { ordernum: _, ...written } = change.written as Members;
    const isThere = valuesOf({ written }).every((each) => isDeepStrictEqual(valueIn(present, each), each.written));
    return isThere ? [] : 'outdated';
  }
  const drift = present?.id === change.id ? driftOf(present, change) : 'changed';
  if (drift === 'changed') return 'outdated';
  return drift === 'written' ? [] : [change];
};

/** How one kind of object is read, changed and recorded. */
export interface UpdatedObject<T extends object> {
  /** Name of the object, as shown to the operator. */
  readonly name: string;
  readonly read: () => Promise<T | undefined>;
  readonly patch: (present: T, changes: Members, readAt: number) => Promise<void>;
  readonly recorded: (due: { readonly before: Members; readonly written: Members }) => RecordedChange;
}

/** Maximum attempts to update an object that another writer keeps changing. */
const maxAttempts = 4;

/**
 * Applies an update to the current object and records the values that it replaces. Reads the object again when it changed between reading
 * and writing.
 * @throws RelayError `plan_outdated` where the object is gone or a planned value has changed, `site_changed` and what reading and writing throw
 */
export const applyUpdate = async <T extends object>(
  { writes, fresh, clock }: ApplyContext,
  change: UpdateOf<ObjectKind>,
  { name, read, patch, recorded }: UpdatedObject<T>,
): Promise<Applied> => {
  for (let attempt = 1; ; attempt += 1) {
    const readAt = clock.monotonic();
    const present = await read();
    if (present === undefined || driftOf(present, change) === 'changed') throw planOutdated([name]);
    const due = towards(present, change, 'written');
    if (!due) return 'already';
    try {
      await writes.write(recorded(due), async () => {
        await patch(present, due.written, readAt);
        return null;
      });
      return 'done';
    } catch (error) {
      if (attempt === maxAttempts || !isRelayError(error, 'site_changed')) throw error;
      fresh.forget();
    }
  }
};

/** How one kind of object is created, and found when the site has it already. */
interface NewObject {
  readonly name: string;
  readonly create: () => Promise<unknown>;
  readonly find: () => Promise<object | undefined>;
  /** The members that a present object must have to count as written. */
  readonly written: Members;
}

/**
 * Creates an object, unless somebody has created the same since the plan was made.
 * @throws RelayError `plan_outdated` where it is another one, and what creating and finding throw
 */
export const applyCreate = async ({ name, create, find, written }: NewObject): Promise<Applied> => {
  try {
    await create();
    return 'done';
  } catch (error) {
    if (!isRelayError(error, 'site_conflict')) throw error;
    const present = await find();
    if (!present) throw error;
    if (sameMembers(present, written)) return 'already';
    throw planOutdated([name]);
  }
};

/** How long the site may still carry out a write whose gateway timed out, ms. */
export const lateMs = 10_000;

export const happened = (id: string | null): Outcome => ({ outcome: 'done', id });
export const notHappened: Outcome = { outcome: 'refused', reason: 'it never reached the site' };

/**
 * The outcome of a write whose response was lost: a create made the object that is there; the site carried out an update unless the object
 * still has the old values.
 */
export const reconcileObject = (
  present: { readonly id: string } | undefined,
  entry: Replacement & { readonly action: string },
): Outcome => {
  if (present === undefined) return notHappened;
  if (entry.action === 'created') return happened(present.id);
  return entry.before !== undefined && driftOf(present, entry) === 'before' ? notHappened : happened(null);
};

/** The values of an object that are neither what a run wrote nor what it replaced: `display is "B", the run wrote "A"`; null where the record does not tell. */
export const differencesText = (present: object, { before, written }: Replacement): string | null => {
  if (!isRecorded(written)) return null;
  const now = Object.fromEntries(Object.keys(written).map((name) => [name, (present as Members)[name]]));
  return replacedBy({ before: before ?? now, written })
    .flatMap((each) => {
      const value = valueIn(present, each);
      const isKnown = isDeepStrictEqual(value, each.written) || (before && isDeepStrictEqual(value, each.before));
      if (isKnown) return [];
      const is = `${each.key ?? each.name} is ${quoted(value ?? null)}`;
      if (each.written !== undefined) return [`${is}, the run wrote ${quoted(each.written)}`];
      return [each.before === undefined || before === undefined ? `${is}, added since` : `${is}, the run removed it`];
    })
    .join('; ');
};

/** Whether the object equals what the run wrote, apart from `is_active`, which an earlier undo may have changed. */
export const isAsWritten = (present: object, written: Members): boolean =>
  sameMembers({ ...present, is_active: true }, { ...written, is_active: true });

const goesInactive = 'is_active true → false';

/** The outcome for an object that a run created and that is no longer so; undefined for one that is. An inactive object counts as undone. */
export const createdChanged = (
  present: { readonly is_active: boolean },
  { kind, written }: { readonly kind: ObjectKind; readonly written: Members },
): Undone | undefined => {
  if (sameMembers(present, written)) return undefined;
  if (!present.is_active) return already('it is inactive');
  const forced = kind === 'patrol_type' ? 'deleted, or inactive while patrols use it' : goesInactive;
  return changedSince({ kind }, differencesText(present, { written }), forced);
};

/** Deactivates an object that a run created. */
export const undoCreated = async (
  present: { readonly is_active: boolean },
  deactivate: () => Promise<void>,
): Promise<Undone> => {
  await deactivate();
  return undone(present.is_active ? goesInactive : 'stays inactive');
};

/** Restores the values that a run replaced, unless they have changed since. Other changes of the object stay. */
export const undoUpdated = async (
  { force }: UndoContext,
  present: object | undefined,
  change: Replacement & { readonly kind: ObjectKind },
  restore: (before: Members) => Promise<void>,
): Promise<Undone> => {
  if (!present) return already('it is gone');
  const due = towards(present, change, 'before');
  if (!due) return already('it was as before already');
  if (driftOf(present, change) === 'changed' && !force.has(change.kind))
    return changedSince(change, differencesText(present, change), describeUpdate(due));
  await restore(due.written);
  return undone(describeUpdate(due));
};
