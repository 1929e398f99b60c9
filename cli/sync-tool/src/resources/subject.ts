import type { PlannedChange } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { pause } from '@ranger-relay/runtime';
import { type Subject, subjectKeys, type SubjectKeys, type UnreadableRow } from '@ranger-relay/site';
import { subjectsByMember } from '../plan/match.ts';
import { checkShown } from '../plan/subjects.ts';
import {
  applyUpdate,
  compareObject,
  createdChanged,
  describeObject,
  differencesText,
  inactive,
  isAsWritten,
  lateMs,
  quoted,
  reconcileObject,
  undoCreated,
  undoUpdated,
  valuesOf,
} from './object.ts';
import {
  already,
  type Applied,
  type ApplyContext,
  changedSince,
  type ChangeOf,
  type DueChanges,
  type EntryOf,
  left,
  membersIn,
  planOutdated,
  type Resource,
  type StepRun,
  type UndoContext,
  undone,
  type Undone,
} from './resource.ts';
import type { Created } from '../run/journal.ts';

type SubjectChange = ChangeOf<'subject'>;
type SubjectUpdate = Extract<SubjectChange, { action: 'updated' }>;

/** Whether a change makes a subject inactive, be it planned or not. */
export const isDeactivation = (change: PlannedChange): change is SubjectUpdate =>
  change.kind === 'subject' &&
  change.action === 'updated' &&
  change.before.is_active === true &&
  change.written.is_active === false;

/**
 * Default limit of deactivations without explicit permission: a fifth of the active subjects that stand for people of the area, but at least
 * five.
 * @param active number of those subjects
 */
export const defaultMaxDeactivations = (active: number): number => Math.max(5, Math.floor(active / 5));

/** Whether the change hides an employee; deactivating a duplicate subject of an employee does not count. */
const hides = (change: PlannedChange): boolean => isDeactivation(change) && change.reason !== 'duplicate';

/** Returns `too_many_deactivations` when the changes exceed the limit. */
export const deactivationsRefused = (changes: readonly PlannedChange[], limit: number): RelayError | undefined => {
  const planned = changes.filter(hides).length;
  return planned > limit ? new RelayError('too_many_deactivations', { details: { planned, limit } }) : undefined;
};

const nameOf = (change: SubjectChange | EntryOf<'subject'>): string => {
  if ('name' in change && change.name !== undefined) return `subject ${quoted(change.name)}`;
  const { name } = change.written;
  return `subject ${typeof name === 'string' || !('id' in change) ? quoted(name) : change.id}`;
};

/**
 * Whether the update is about this subject: by employee, for a subject without one by the staff id that the plan saw, otherwise by name.
 */
const isMeant = (
  { identity, name: ownName }: Subject,
  { member, name, before }: SubjectUpdate,
  { employee }: SubjectKeys,
): boolean => {
  if (identity.member !== undefined && identity.member === member) return true;
  const staffId = before.additional?.[employee];
  if (identity.member === undefined && staffId !== undefined) return identity.employeeId === staffId;
  return member === null && ownName === name;
};

/** Compares a change of a subject with the subjects on the site and returns what is still due. */
const compareSubject = (
  change: SubjectChange,
  subjects: readonly Subject[],
  keys: SubjectKeys,
): DueChanges<'subject'> => {
  const meant = subjects.find((each) =>
    change.action === 'created'
      ? each.identity.member === change.member
      : each.id === change.id && isMeant(each, change, keys),
  );
  return compareObject(meant, change);
};

/** The planned changes that are still due, given the subjects on the site and its rows that cannot be read. @throws RelayError `plan_outdated` */
const dueOf = (
  { beside }: ApplyContext,
  changes: readonly SubjectChange[],
  present: readonly Subject[],
  unreadable: readonly UnreadableRow[],
): readonly SubjectChange[] => {
  const outdated: string[] = [];
  const hidden = membersIn(unreadable);
  const due = changes.flatMap((change) => {
    const left = compareSubject(change, present, beside.keys);
    const isHidden =
      left !== 'outdated' && left.some(({ action, member }) => action === 'created' && hidden.has(member));
    if (left !== 'outdated' && !isHidden) return left;
    outdated.push(nameOf(change));
    return [];
  });
  if (outdated.length > 0) throw planOutdated(outdated);
  const made = due.flatMap((change) => (change.action === 'created' ? [change.member] : []));
  checkShown(made, present, beside);
  return due;
};

/** Maps a refusal that every further subject would also meet to an error of its own (site contract, 6). */
const refusalOfAll = (error: unknown, subtype: string): unknown => {
  if (!isRelayError(error, 'site_refused')) return error;
  const reason = String(error.details['reason']);
  if (error.details['status'] === 400 && /does not exist/i.test(reason))
    return new RelayError('subject_subtype_unknown', { details: { subtype }, cause: error });
  if (error.details['status'] === 500 && /subject ?group/i.test(reason))
    return new RelayError('default_group_missing', { details: { reason }, cause: error });
  return error;
};

const update = (context: ApplyContext, change: SubjectUpdate): Promise<Applied> => {
  const { kind, action, id, member, name } = change;
  const reason = change.reason === 'duplicate' ? { reason: change.reason } : {};
  return applyUpdate(context, change, {
    name: nameOf(change),
    read: () => context.fresh.subject(id),
    patch: (present, changes, readAt) => context.site.patchSubject(present, changes, readAt),
    recorded: (due) => ({ kind, action, id, member, name, ...due, ...reason }),
  });
};

/** Writes one subject and remembers the employee that it stands for. A run beside this one may have created it meanwhile. */
const apply = async (context: ApplyContext, change: SubjectChange): Promise<Applied> => {
  if (change.action === 'updated') return update(context, change);
  const { site, writes, subjects, maybeTwice } = context;
  const { kind, action, member, written } = change;
  const send = async (): Promise<Created> => {
    const created = await site.createSubject(written);
    if (!created.maybeTwice) return { id: created.record.id };
    maybeTwice.add(member);
    return { id: created.record.id, maybe_twice: true };
  };
  try {
    const id = await writes.write({ kind, action, id: '', member, written }, send);
    if (id !== null) subjects.set(member, id);
    return 'done';
  } catch (error) {
    if (isRelayError(error, 'site_conflict')) return 'outdated';
    throw refusalOfAll(error, written.subject_subtype);
  }
};

/**
 * Checks that the token can see the subject it created; otherwise the next run would create every subject again (site contract, 6).
 * @throws RelayError `subject_not_visible`
 */
const checkVisible = async ({ site, subjects }: ApplyContext, { member }: SubjectChange): Promise<void> => {
  const id = subjects.get(member ?? '');
  if (id === undefined) return;
  const found = await site.subjectsById([id]);
  if (!found.some((each) => each.id === id)) throw new RelayError('subject_not_visible', { details: { id } });
};

/**
 * Creates subjects one at a time until one of them succeeds, and checks that the token can see it before others follow.
 * @returns the remaining changes, and those that are outdated
 */
const createFirst = async (step: StepRun<'subject'>, changes: readonly SubjectChange[]) => {
  const tried = new Set<SubjectChange>();
  const outdated: SubjectChange[] = [];
  for (const change of changes) {
    if (change.action !== 'created' || step.isOver()) continue;
    tried.add(change);
    const applied = await step.applyOne(change);
    if (applied === 'outdated') outdated.push(change);
    if (applied !== 'done') continue;
    await checkVisible(step.context, change).catch((error: unknown) => step.fail(error));
    break;
  }
  return { remaining: changes.filter((change) => !tried.has(change)), outdated };
};

/**
 * Deactivates duplicates: a subject whose creation was retried after a lost response may exist twice. The subject in the record stays
 * active; the run records the other one as created by this run and deactivates it.
 */
const deactivateSecond = async ({ context }: StepRun<'subject'>, before: ReadonlySet<string>): Promise<void> => {
  const { site, writes, subjects, maybeTwice, clock, signal } = context;
  if (maybeTwice.size === 0) return;
  await pause(clock, lateMs, signal);
  const now = await site.subjects();
  const active = new Set(now.flatMap(({ id, is_active }) => (is_active ? [id] : [])));
  for (const second of now) {
    const { id, name, subject_subtype, is_active, additional, identity } = second;
    const { member = '' } = identity;
    const kept = maybeTwice.has(member) ? subjects.get(member) : undefined;
    if (kept === undefined || id === kept || before.has(id) || identity.markedArea === undefined) continue;
    if (!active.has(id) || !active.has(kept)) continue;
    const made = { kind: 'subject', id: '', member, action: 'created' } as const;
    await writes.write({ ...made, written: { name, subject_subtype, is_active, additional } }, async () => id);
    await update(context, { ...made, action: 'updated', id, name, before: { is_active: true }, written: inactive });
  }
};

/** Subject ids by the uuid of their employee. */
export const idsOf = (byMember: ReadonlyMap<string, Subject>): Map<string, string> =>
  new Map([...byMember].map(([member, { id }]) => [member, id]));

/**
 * Lists the subjects again, because an earlier list may be outdated, and applies what is still due.
 * @returns the subjects that were there before, and the changes whose subjects somebody has created since
 */
const applyDue = async (step: StepRun<'subject'>, planned: readonly SubjectChange[]) => {
  const { context, count } = step;
  const unreadable: UnreadableRow[] = [];
  const present = await context.site.subjects(undefined, (row) => unreadable.push(row));
  const changes = dueOf(context, planned, present, unreadable);
  for (const [member, id] of idsOf(subjectsByMember(present))) context.subjects.set(member, id);
  count.unchanged += Math.max(0, planned.length - changes.length);
  context.fresh.expect(changes.flatMap((change) => (change.action === 'updated' ? [change.id] : [])));
  const { remaining, outdated } = await createFirst(step, changes);
  return { present, outdated: [...outdated, ...(await step.applyEach(remaining))] };
};

/** Runs the step, and once more for the employees for whom a run beside this one created subjects meanwhile. */
const applyAll = async (step: StepRun<'subject'>, planned: readonly SubjectChange[]): Promise<void> => {
  const first = await applyDue(step, planned);
  for (let { outdated } = first; outdated.length > 0 && !step.isOver();)
    ({ outdated } = await applyDue(step, outdated));
  await deactivateSecond(step, new Set(first.present.map(({ id }) => id)));
};

/** Finds the subject by its id, or by its employee when the id is unknown. */
const find = async ({ fresh, site }: UndoContext, { id, member }: EntryOf<'subject'>): Promise<Subject | undefined> =>
  id === '' ? subjectsByMember(await site.subjects()).get(member ?? '') : fresh.subject(id);

const undoNew = async (context: UndoContext, present: Subject, entry: EntryOf<'subject'>): Promise<Undone> => {
  const { site, force, deleteSubjects, readAt } = context;
  const { kind, written } = entry;
  // An import makes retired people active while it runs, so that activity alone is nobody's edit.
  const isSame = force.has(kind) || (present.is_active && isAsWritten(present, written));
  const deactivate = (): Promise<void> => site.patchSubject(present, inactive, readAt);
  const outcome = (isSame ? undefined : createdChanged(present, entry)) ?? (await undoCreated(present, deactivate));
  if (outcome.outcome === 'left' || !deleteSubjects) return outcome;
  if (!force.has(kind) && !isAsWritten(present, written))
    return changedSince(entry, differencesText(present, { written }), 'deleted');
  await site.deleteSubject(present.id);
  return undone('deleted');
};

/** Undoes what the repeated call of a creation made a second time, where the run ended before it looked for that. */
const undoSeconds = async (context: UndoContext, first: string | undefined, entry: EntryOf<'subject'>) => {
  const isSecond = ({ id, is_active, identity: { member } }: Subject): boolean =>
    is_active && id !== first && member === entry.member;
  const seconds = (await context.site.subjects()).filter((each) => isSecond(each) && isAsWritten(each, entry.written));
  for (const second of seconds) await undoNew(context, second, entry);
  return seconds.length;
};

const undoFirst = async (
  context: UndoContext,
  present: Subject | undefined,
  entry: EntryOf<'subject'>,
): Promise<Undone> => {
  const { site, readAt } = context;
  if (!present && (context.wasUndone || context.seesAll)) return already('it is gone');
  if (!present) return left('the token does not see it: it is gone, or in a group that the token may not view');
  context.nameObject(`subject ${quoted(present.name)}`);
  if (entry.reason === 'duplicate') return undone('stays inactive', 'another subject stands for the employee');
  const outcome = await (entry.action === 'created'
    ? undoNew(context, present, entry)
    : undoUpdated(context, present, entry, (before) => site.patchSubject(present, before, readAt)));
  if (outcome.outcome !== 'left' || !present.is_active || !context.takenOut.has(present.id)) return outcome;
  return { ...outcome, reason: `${outcome.reason}; stays active, but this undo took it out of the roster group` };
};

const undo = async (context: UndoContext, entry: EntryOf<'subject'>): Promise<Undone> => {
  const present = await find(context, entry);
  const seconds = context.maybeTwice ? await undoSeconds(context, present?.id, entry) : 0;
  const outcome = await undoFirst(context, present, entry);
  return seconds === 0 ? outcome : { ...outcome, reason: outcome.reason ?? 'with a second one of the same creation' };
};

/** Subjects, identified by the employee that they stand for (site contract, 6). */
export const subject: Resource<'subject'> = {
  stepName: 'Subjects',
  permissions:
    'observations.view_subject, observations.add_subject, observations.change_subject, and view on the default subject group',
  counter(change) {
    if (isDeactivation(change)) return 'deactivated';
    return change.action;
  },
  name: nameOf,
  key: (change) => `subject ${('id' in change && change.id) || change.member}`,
  describe: (change, paint) => describeObject(change, nameOf(change), paint),
  compare: async (change, { subjects }, { plan }) => compareSubject(change, subjects, subjectKeys(plan.options.word)),
  apply,
  applyAll,
  async reconcile(site, entry) {
    const [updated] = entry.action === 'updated' ? await site.subjectsById([entry.id]) : [];
    const created = async () => subjectsByMember(await site.subjects()).get(entry.member ?? '');
    return reconcileObject(entry.action === 'updated' ? updated : await created(), entry);
  },
  undo,
  values: valuesOf,
  isNeeded: ({ id, member }, { subjects }) =>
    member === null ? Object.values(subjects).includes(id) : Object.hasOwn(subjects, member),
};
