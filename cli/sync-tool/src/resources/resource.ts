import type {
  AreaNeeds,
  PlannedChange,
  RecordedChange,
  StepOutlook,
  SyncKind,
  SyncPlan,
  SyncStepCount,
  UndoneEntry,
} from '@ranger-relay/contracts';
import { type ErrorCode, RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import {
  type Choice,
  type FormDocument,
  type PatrolType,
  plainId,
  type Site,
  type Subject,
  type UnreadableRow,
} from '@ranger-relay/site';
import type { Paint } from '@ranger-relay/terminal';
import type { SubjectsBeside } from '../plan/subjects.ts';
import type { Fresh } from '../run/fresh.ts';
import type { Outcome, Writes } from '../run/journal.ts';
import type { OtherArea } from '../run/known-records.ts';
import type { Replaced } from './object.ts';

/** A planned change of one kind. */
export type ChangeOf<K extends SyncKind> = Extract<PlannedChange, { kind: K }>;

/** An entry of a run record of one kind. */
export type EntryOf<K extends SyncKind> = Extract<RecordedChange, { kind: K }>;

/** The counters of changes in the summary. */
export type Counter = 'created' | 'updated' | 'deactivated';

/** The operations of one kind of resource on the site. */
export interface Resource<K extends SyncKind> {
  /** Name of the step that writes this kind, as shown to the operator. */
  readonly stepName: string;
  /** The permissions that the token needs for the step (site contract, 8). */
  readonly permissions: string;
  /** The counter to which a change adds. Default: `updated` for an update, otherwise `created`. */
  counter?(change: ChangeOf<K>): Counter;
  /** How many objects a change covers. Default: 1. */
  weight?(change: ChangeOf<K>): number;
  /** Name of the object, as shown to the operator. */
  name(change: ChangeOf<K> | EntryOf<K>): string;
  /** Formats a planned change as lines of the printed plan. */
  describe(change: ChangeOf<K>, paint: Paint): string[];
  /** Compares a planned change with the site and returns what is still due; empty when the site already has it. */
  compare(change: ChangeOf<K>, present: PresentState, scope: CompareScope): Promise<DueChanges<K>>;
  /** Writes a planned change to the site. */
  apply(context: ApplyContext, change: ChangeOf<K>): Promise<Applied>;
  /** Splits a change into the calls that carry it out. Default: one call. */
  split?(context: ApplyContext, change: ChangeOf<K>): readonly ChangeOf<K>[];
  /** Runs a whole step, for a kind that orders its own writes. Default: all changes run concurrently. */
  applyAll?(step: StepRun<K>, changes: readonly ChangeOf<K>[]): Promise<void>;
  /** Checks at the end of a run that the change is still on the site. @throws RelayError `plan_outdated` */
  recheck?(context: ApplyContext, change: ChangeOf<K>): Promise<void>;
  /** Reads the site to find the outcome of a write whose outcome is unknown; undefined when the site cannot tell. */
  reconcile(site: Site, entry: EntryOf<K>, readBefore: ReadFormBefore): Promise<Outcome | undefined>;
  /** Undoes an entry of a record unless the object has changed since the run (bundle contract, 7). */
  undo(context: UndoContext, entry: EntryOf<K>): Promise<Undone>;
  /** A key that is the same for all entries of one object. */
  key(entry: ChangeOf<K> | EntryOf<K>): string;
  /** The values that a change or an entry writes, one by one, with those that they replace, as far as it says. */
  values(change: ChangeOf<K> | EntryOf<K>): readonly Replaced[];
  /** Whether another area relies on the object of an entry. */
  isNeeded(entry: EntryOf<K>, needs: AreaNeeds): boolean;
}

/** The current state of the site, as far as the plan writes to it. */
export interface PresentState {
  readonly types: readonly PatrolType[];
  /** Undefined while the feature is off, because the document is not visible then. */
  readonly form: FormDocument | null | undefined;
  readonly choices: ReadonlyMap<string, readonly Choice[]>;
  readonly subjects: readonly Subject[];
}

/** The input of comparing a plan, in addition to the state of the site. */
export interface CompareScope {
  readonly site: Site;
  readonly plan: Pick<SyncPlan, 'options'>;
}

/** The changes that are still due; `outdated`: the object matches neither the state that the plan saw nor the state that it writes. */
export type DueChanges<K extends SyncKind> = readonly ChangeOf<K>[] | 'outdated';

/** Result of a change: written, already on the site, or not written because another writer created the object since it was planned. */
export type Applied = 'done' | 'already' | 'outdated';

/** The dependencies of applying a change. */
export interface ApplyContext {
  readonly site: Site;
  readonly fresh: Fresh;
  readonly writes: Writes;
  /** What the records of earlier runs say of subjects. */
  readonly beside: SubjectsBeside;
  readonly clock: Pick<Clock, 'sleep' | 'monotonic'>;
  /** Aborted when the run must end: writes in flight finish, and no further write starts. */
  readonly signal: AbortSignal;
  /** Known subject ids by the uuid of their employee; the run adds the subjects that it creates. */
  readonly subjects: Map<string, string>;
  /** Employees whose subject may exist twice, because the create call was retried after a lost response. */
  readonly maybeTwice: Set<string>;
  /** Saves the document that a write replaces; returns the name of its file. */
  readonly keepBefore: (document: FormDocument) => Promise<string>;
}

/** One step of a run, for a resource that orders its own writes. */
export interface StepRun<K extends SyncKind> {
  readonly context: ApplyContext;
  readonly count: SyncStepCount;
  isOver(): boolean;
  /** Applies one change; a failure is counted and reported. */
  applyOne(change: ChangeOf<K>): Promise<Applied | 'failed'>;
  /** Applies changes concurrently. @returns those that are outdated */
  applyEach(changes: readonly ChangeOf<K>[]): Promise<readonly ChangeOf<K>[]>;
  /** Reports a failure of the step that does not belong to a change. */
  fail(error: unknown): void;
}

/** Reads the form document that a run replaced. */
export type ReadFormBefore = (file: string) => Promise<FormDocument>;

/** The dependencies of undoing an entry. */
export interface UndoContext {
  readonly site: Site;
  /** The word that stands for the external system on the site. */
  readonly word: string;
  readonly fresh: Fresh;
  /** Kinds whose entries are undone even if the object has changed since the run. */
  readonly force: ReadonlySet<SyncKind>;
  readonly deleteSubjects: boolean;
  /** Other areas; objects that they rely on are not changed. */
  readonly others: readonly OtherArea[];
  /** Reads the form document that the run replaced. */
  readonly formBefore: ReadFormBefore;
  /** Saves the form document that this undo replaces; returns the name of its file, null in a dry run, which writes none. */
  readonly keepBefore: (document: FormDocument) => Promise<string | null>;
  /** Choice fields that the form still offers after the undo; their options stay in use. */
  readonly choiceFieldsLeft: ReadonlySet<string>;
  /** Whether the token sees everybody: who is not shown is gone. */
  readonly seesAll: boolean;
  /** Ids of subjects that this undo has taken out of a roster group. */
  readonly takenOut: Set<string>;
  /** Whether an earlier undo took this entry back. */
  readonly wasUndone: boolean;
  /** Whether the site may have a second object of this entry, which no entry lists. */
  readonly maybeTwice: boolean;
  /** When the undo of this entry took its readings, monotonic ms. */
  readonly readAt: number;
  /** Tells how the site names the object of this entry, for its line. */
  readonly nameObject: (name: string) => void;
}

/** The result of undoing an entry. */
export type Undone = Pick<UndoneEntry, 'outcome' | 'detail' | 'reason'>;

export const undone = (detail: string | null, reason: string | null = null): Undone => ({
  outcome: 'undone',
  detail,
  reason,
});
/** The object was as before the run already. */
export const already = (reason: string): Undone => ({ outcome: 'already', detail: null, reason });
export const left = (reason: string, detail: string | null = null): Undone => ({ outcome: 'left', detail, reason });

/** A part of what the run wrote was taken back, the rest is left. */
export const undoneInPart = (reason: string, detail: string): Undone => left(reason, `undone in part: ${detail}`);

/**
 * The object has changed since the run, or may have.
 * @param differences from what the run wrote; null for a record of the importer, which does not tell that
 * @param forced what a forced undo does
 */
export const changedSince = (
  { kind }: { readonly kind: SyncKind },
  differences: string | null,
  forced: string,
): Undone => {
  const reason =
    differences === null
      ? "the importer's record does not tell what it wrote, so this may have changed since"
      : 'changed since the run';
  const detail = `by force: ${forced}`;
  return left(
    `${reason}; --force ${kind} undoes it all the same`,
    differences === null ? detail : `${differences}; ${detail}`,
  );
};

/** Another area relies on the object. */
export const neededBy = (area: string): Undone => left(`area ${area} needs it`);

/** Whether an area has a field in its form, in use or not. */
export const namesField = ({ fields, unused }: AreaNeeds, name: string): boolean =>
  Object.hasOwn(fields, name) || unused.fields.includes(name);

/** Code of the first other area whose needs fulfil the condition. */
export const areaThat = (
  others: readonly OtherArea[],
  has: (needs: OtherArea['needs']) => boolean,
): string | undefined => others.find(({ needs }) => has(needs))?.title;

/** How many objects a sentence names. */
export const maxNamed = 5;

/** Names the first objects, and says how many more there are. */
export const firstNames = (names: readonly string[], total = names.length, between = ', '): string => {
  const more = total > maxNamed ? ` and ${total - maxNamed} more` : '';
  return `${names.slice(0, maxNamed).join(between)}${more}`;
};

/** Creates `plan_outdated`, naming the objects that match neither the state that the plan saw nor the state that it writes. */
export const planOutdated = (names: readonly string[]): RelayError =>
  new RelayError('plan_outdated', { details: { objects: firstNames(names) } });

/** Returns the members of `wanted` that differ from the present values, with the values that they replace; undefined when none differs. */
export const differences = <T extends object>(
  present: T,
  wanted: Partial<T>,
  same: (a: unknown, b: unknown) => boolean = Object.is,
): { readonly before: Partial<T>; readonly written: Partial<T> } | undefined => {
  const names = (Object.keys(wanted) as (keyof T)[]).filter((name) => !same(present[name], wanted[name]));
  if (names.length === 0) return undefined;
  const pick = (of: Partial<T>): Partial<T> => Object.fromEntries(names.map((name) => [name, of[name]])) as Partial<T>;
  return { before: pick(present), written: pick(wanted) };
};

/** Receives the progress of reading the site. */
export type OnRead = (what: string, done: number, total: number | null) => void;

/** What one step of a run writes, and what it leaves unchanged. */
export interface StepPlan extends StepOutlook {
  readonly changes: readonly PlannedChange[];
  /** What the site lacks and the run does not write, because a row that cannot be read may stand for it; a sentence each. */
  readonly heldBack?: readonly string[];
  /** What a person must do later on the site because the run leaves it; a sentence each. */
  readonly remarks?: readonly string[];
  /** What people must know and have nothing to do about: what is left for another area, and what is rebuilt. */
  readonly notes?: readonly string[];
}

/** Why a run skips a step that has not failed, and what a person can do about it. */
export const skips = {
  feature_off: {
    reason: 'the preview feature patrol_schemas is off',
    remedy:
      'Have the preview feature patrol_schemas switched on by the operator of the site or the vendor, then run again',
  },
  no_group: {
    reason: 'the patrol configuration names no group for the roster',
    remedy: 'Choose the roster group of the patrol configuration, or pass --roster-group; then run again',
  },
  subjects_unknown: {
    reason: 'the subjects who join are not known',
    remedy: 'Fix what stopped the subjects, then run again',
  },
} as const;

/** The reason and the remedy of a skipped step; undefined for a step that is carried out, or that failed. */
export const skipOf = (skipped: string | null | undefined): { reason: string; remedy: string } | undefined =>
  typeof skipped === 'string' && Object.hasOwn(skips, skipped) ? skips[skipped as keyof typeof skips] : undefined;

/** A step that the run skips: the reason, or the code of its failure. */
export const skippedStep = (skipped: keyof typeof skips | ErrorCode): StepPlan => ({
  changes: [],
  unchanged: 0,
  others: 0,
  skipped,
});

// Lookahead, so that a uuid after other hexadecimal characters is found too.
const uuids = /(?=([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}))/gi;

/** The employees that unreadable rows may stand for: every uuid in a row, without dashes and in lower case. */
export const membersIn = (rows: readonly UnreadableRow[]): ReadonlyMap<string, UnreadableRow> => {
  const found = new Map<string, UnreadableRow>();
  for (const row of rows)
    for (const [, uuid = ''] of JSON.stringify(row.row).matchAll(uuids)) found.set(plainId(uuid), row);
  return found;
};

/** The unreadable row that has this value, if any. */
export const rowWithValue = (
  rows: readonly UnreadableRow[],
  isSame: (value: string) => boolean,
): UnreadableRow | undefined => rows.find(({ row: { value } }) => typeof value === 'string' && isSame(value));

/** Says that an object is not created because an unreadable row may be the same object. */
export const heldBackBy = (object: string, { name, problem }: UnreadableRow): string =>
  `${object} is not created: the site's ${name} stands for it and cannot be read (${problem})`;

/** One sentence on rows that a run leaves as they are; none without rows. */
export const describeUnreadable = (rows: readonly UnreadableRow[]): string[] => {
  if (rows.length === 0) return [];
  const named = rows.map(({ name, problem }) => `${name}: ${problem}`);
  return [`Rows of the site that cannot be read are left as they are: ${firstNames(named, named.length, '; ')}`];
};
