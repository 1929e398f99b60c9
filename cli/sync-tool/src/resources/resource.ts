import type {
  AreaNeeds,
  PlannedChange,
  RecordedChange,
  SyncPlan,
  SyncStepCount,
  UndoneEntry,
} from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { Choice, FormDocument, PatrolType, Site, Subject } from '@ranger-relay/site';
import type { Paint } from '@ranger-relay/terminal';
import type { Fresh } from '../run/fresh.ts';
import type { Outcome, Writes } from '../run/journal.ts';
import type { OtherArea } from '../run/known-records.ts';

/** The kinds of resources that a run manages. */
export type Kind = PlannedChange['kind'];

/** A planned change of one kind. */
export type ChangeOf<K extends Kind> = Extract<PlannedChange, { kind: K }>;

/** An entry of a run record of one kind. */
export type EntryOf<K extends Kind> = Extract<RecordedChange, { kind: K }>;

/** Everything the tool knows about one kind of resource on the site. */
export interface Resource<K extends Kind> {
  /** Names the object for people. */
  name(change: ChangeOf<K> | EntryOf<K>): string;
  /** The lines of a planned change in the printed plan. */
  describe(change: ChangeOf<K>, paint: Paint): string[];
  /** Compares a planned change with the site: what is still due, nothing when the site has it already. */
  compare(change: ChangeOf<K>, present: PresentState, scope: CompareScope): Promise<Drift<K>>;
  /** Writes a planned change to the site. */
  apply(context: ApplyContext, change: ChangeOf<K>): Promise<Applied>;
  /** Splits a change into the calls that carry it out. Default: one call. */
  split?(context: ApplyContext, change: ChangeOf<K>): readonly ChangeOf<K>[];
  /** Runs a whole step, for a kind that orders its own writes. Default: all changes side by side. */
  applyAll?(step: StepRun<K>, changes: readonly ChangeOf<K>[]): Promise<void>;
  /** Checks at the end of a run that the change is still on the site, and repeats it. */
  recheck?(context: ApplyContext, change: ChangeOf<K>): Promise<void>;
  /** Asks the site what became of a write without a known outcome; undefined when the site cannot say. */
  reconcile(site: Site, entry: EntryOf<K>, readBefore: ReadFormBefore): Promise<Outcome | undefined>;
  /** Undoes an entry of a record unless somebody has changed the object since (bundle contract, 7). */
  undo(context: UndoContext, entry: EntryOf<K>): Promise<Undone>;
  /** The same text for all entries of one object. */
  key(entry: EntryOf<K>): string;
  /** Whether another area relies on the object of an entry. */
  isNeeded(entry: EntryOf<K>, needs: AreaNeeds): boolean;
  /** Adds what the object of an entry stands for to the needs of its area. */
  addNeeds(entry: EntryOf<K>, needs: AreaNeeds): void;
}

/** What the site has of what a plan writes. */
export interface PresentState {
  readonly types: readonly PatrolType[];
  /** Undefined while the feature is off: the document is not visible then. */
  readonly form: FormDocument | null | undefined;
  readonly choices: ReadonlyMap<string, readonly Choice[]>;
  readonly subjects: readonly Subject[];
}

/** What comparing a plan needs beside the state that was read. */
export interface CompareScope {
  readonly site: Site;
  readonly plan: Pick<SyncPlan, 'options'>;
}

/** What is still due of a change; `outdated`: the object is neither as the plan saw it nor as the plan writes it. */
export type Drift<K extends Kind> = readonly ChangeOf<K>[] | 'outdated';

/** What became of a change: written, or found on the site already. */
export type Applied = 'done' | 'already';

/** How a plan is followed when the site is no longer as the plan saw it. */
export interface Course {
  /** Exactly this plan was approved: any difference from it ends the run with `plan_outdated`. */
  readonly approved: boolean;
  /** What is due of a change of the form, given the stored form; undefined: nothing. @throws RelayError */
  form(change: FormChange, stored: FormDocument | null): FormChange | undefined;
  /** What is due after it was written: a change when another writer has replaced the form since. @throws RelayError */
  formAfter(change: FormChange, stored: FormDocument | null): FormChange | undefined;
  /** What is due of the subjects, given those on the site. @throws RelayError */
  subjects(changes: readonly ChangeOf<'subject'>[], present: readonly Subject[]): DueSubjects;
}

type FormChange = ChangeOf<'universal_patrol_fields'>;

/** Changes of subjects that are due, and the subjects that are known to stand for an employee. */
export interface DueSubjects {
  readonly changes: readonly ChangeOf<'subject'>[];
  readonly byMember: ReadonlyMap<string, Subject>;
}

/** What applying a change works with. */
export interface ApplyContext {
  readonly site: Site;
  readonly fresh: Fresh;
  readonly writes: Writes;
  readonly course: Course;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Aborted when the run is to end: writes in flight are finished, no other is begun. */
  readonly signal: AbortSignal;
  /** Subject ids by uuid of their employee, as far as they are known; the run adds those that it creates. */
  readonly subjects: Map<string, string>;
  /** Employees whose subject may have been created twice: an answer was lost, and the call was repeated. */
  readonly maybeTwice: Set<string>;
  /** Keeps the document that is replaced; returns the name of its file. */
  readonly keepBefore: (document: FormDocument) => Promise<string>;
}

/** One step of a run, as a resource that orders its own writes sees it. */
export interface StepRun<K extends Kind> {
  readonly context: ApplyContext;
  readonly count: SyncStepCount;
  isOver(): boolean;
  /** Applies one change; a failure is counted and reported. @returns whether it was written */
  applyOne(change: ChangeOf<K>): Promise<boolean>;
  /** Applies changes side by side. */
  applyEach(changes: readonly ChangeOf<K>[]): Promise<void>;
  /** Reports a failure of the step that belongs to no change. */
  fail(error: unknown): void;
}

/** Reads the form document that a run replaced. */
export type ReadFormBefore = (file: string) => Promise<FormDocument>;

/** What undoing an entry works with. */
export interface UndoContext {
  readonly site: Site;
  readonly fresh: Fresh;
  /** Kinds of entries that are undone although they were changed since. */
  readonly force: ReadonlySet<Kind>;
  readonly deleteSubjects: boolean;
  /** What other areas rely on stays as it is. */
  readonly others: readonly OtherArea[];
  /** Nothing is sent; everything is compared. */
  readonly dryRun: boolean;
  readonly formBefore: ReadFormBefore;
}

/** What became of an entry. */
export type Undone = Pick<UndoneEntry, 'outcome' | 'reason'>;

export const undone = (reason: string | null = null): Undone => ({ outcome: 'undone', reason });
export const left = (reason: string): Undone => ({ outcome: 'left', reason });

/** The object was changed since the run. */
export const changedSince = left('it is no longer what the run wrote; pass --force to undo it all the same');

/** Another area relies on the object. */
export const neededBy = (area: string): Undone => left(`area ${area} needs it`);

/** The first of the other areas whose needs fulfil the condition, by the code that people know it by. */
export const areaThat = (
  others: readonly OtherArea[],
  has: (needs: OtherArea['needs']) => boolean,
): string | undefined => others.find(({ needs }) => has(needs))?.id;

const maxNamed = 5;

/** `plan_outdated`, naming the objects that are neither what the plan saw nor what it writes. */
export const planOutdated = (names: readonly string[]): RelayError => {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return new RelayError('plan_outdated', { details: { objects: `${names.slice(0, maxNamed).join(', ')}${more}` } });
};
