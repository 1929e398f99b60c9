import type { PlannedChange } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { maxIdsPerCall, type Site, type Subject, type SubjectGroup } from '@ranger-relay/site';
import type { DesiredSubject } from './employees.ts';
import type { Matches } from '../plan/match.ts';
import {
  already,
  type ApplyContext,
  type ChangeOf,
  type CompareScope,
  type DueChanges,
  firstNames,
  left,
  maxNamed,
  type PresentState,
  type Resource,
  skippedStep,
  type StepPlan,
  undone,
  undoneInPart,
} from './resource.ts';
import { happened, notHappened, quoted } from './object.ts';

/** The roster group with its members; null when the site has no usable group. */
export type Roster = { readonly group: SubjectGroup; readonly members: ReadonlySet<string> } | null;

/** Treats a configured group that no longer exists as no usable group (site contract, 7). */
const membersOf = async (site: Site, group: SubjectGroup, isNamed: boolean): Promise<Roster> => {
  try {
    return { group, members: new Set(await site.groupMembers(group.id)) };
  } catch (error) {
    if (!isNamed && isRelayError(error, 'site_not_found')) return null;
    throw error;
  }
};

/** Reads the roster group and its members. @throws RelayError `roster_group_unknown` */
export const readRoster = async (site: Site, named: string | undefined): Promise<Roster> => {
  const group = named === undefined ? await site.firstMemberGroup() : await site.groupByName(named);
  if (group) return membersOf(site, group, named !== undefined);
  if (named === undefined) return null;
  throw new RelayError('roster_group_unknown', { details: { group: named } });
};

type RosterChange = ChangeOf<'roster'>;

/** Adds every planned subject that is not yet a member, including inactive ones; never removes a member (site contract, 7). */
export const planRoster = (roster: Roster, subjects: readonly DesiredSubject[], matches: Matches): StepPlan => {
  if (!roster) return skippedStep('no_group');
  const { group, members } = roster;
  const missing = subjects.flatMap(({ member }) => {
    const id = matches.byMember.get(member)?.id ?? null;
    return id !== null && members.has(id) ? [] : [{ member, id }];
  });
  const unchanged = subjects.length - missing.length;
  if (missing.length === 0) return { changes: [], unchanged, others: 0, skipped: null };
  return {
    changes: [{ kind: 'roster', action: 'added', group_id: group.id, group_name: group.name, subjects: missing }],
    unchanged,
    others: 0,
    skipped: null,
  };
};

/**
 * Names of the active members whom a patrol cannot name, without those whom the plan has yet to change.
 * @param listed ids of the subjects that the site lets a patrol name
 */
export const unlistedMembers = (
  listed: ReadonlySet<string>,
  subjects: readonly DesiredSubject[],
  { byMember }: Matches,
  changes: readonly PlannedChange[],
): readonly string[] => {
  const due = new Set(
    changes.flatMap((change) => {
      if (change.kind === 'roster') return change.subjects.map(({ member }) => member);
      return change.kind === 'subject' ? (change.member ?? []) : [];
    }),
  );
  return subjects.flatMap(({ member, name, isActive }) => {
    const there = byMember.get(member);
    return isActive && there && !listed.has(there.id) && !due.has(member) ? [name] : [];
  });
};

/** Whether an id of the plan belongs to the employee that the plan names; the hash of a plan does not cover ids. */
const standsFor = (there: Subject | undefined, member: string): boolean =>
  there !== undefined && (there.identity.member ?? member) === member;

/** Returns `outdated` when a run would now choose another group, or when an id of the plan belongs to another employee. */
const compare = async (
  change: RosterChange,
  { subjects: present }: PresentState,
  { site, plan: { options } }: CompareScope,
): Promise<DueChanges<'roster'>> => {
  const group = await (options.roster_group === null
    ? site.firstMemberGroup()
    : site.groupByName(options.roster_group));
  if (group?.id !== change.group_id) return 'outdated';
  const byId = new Map(present.map((each) => [each.id, each]));
  if (change.subjects.some(({ member, id }) => id !== null && !standsFor(byId.get(id), member))) return 'outdated';
  const byMember = new Map(present.map((each) => [each.identity.member, each.id]));
  const members = new Set(await site.groupMembers(change.group_id));
  const subjects = change.subjects.filter(({ member, id }) => {
    const known = id ?? byMember.get(member);
    return known === undefined || !members.has(known);
  });
  return subjects.length === 0 ? [] : [{ ...change, subjects }];
};

/**
 * Splits the change into calls that add the existing planned subjects; a subject that could not be created is left out (site contract, 7).
 */
const split = ({ subjects: known }: ApplyContext, change: RosterChange): RosterChange[] => {
  const subjects = change.subjects.flatMap(({ member, id }) => {
    const there = id ?? known.get(member);
    return there === undefined ? [] : [{ member, id: there }];
  });
  const calls: RosterChange[] = [];
  for (let from = 0; from < subjects.length; from += maxIdsPerCall)
    calls.push({ ...change, subjects: subjects.slice(from, from + maxIdsPerCall) });
  return calls;
};

/** Membership of the patrol roster group (site contract, 7). */
export const roster: Resource<'roster'> = {
  stepName: 'Roster',
  permissions:
    'observations.change_subjectgroup, and view on the group, and activity.view_patrol for the patrol configuration',
  weight: ({ subjects }) => subjects.length,
  name: ({ group_name }) => `roster group ${quoted(group_name)}`,
  key: ({ group_id }) => `roster ${group_id}`,
  describe: ({ group_name, subjects }, paint) => [
    `${paint.green('+')} roster ${quoted(group_name)}: ${subjects.length} to join`,
  ],
  compare,
  split,
  /** Adds the subjects of one call. Each call is a separate entry. */
  async apply({ site, writes }, { kind, action, group_id, group_name, subjects }) {
    const subject_ids = subjects.flatMap(({ id }) => id ?? []);
    await writes.write({ kind, action, group_id, group_name, subject_ids }, async () => {
      await site.addToGroup(group_id, subject_ids);
      return null;
    });
    return 'done';
  },
  async reconcile(site, { group_id, subject_ids }) {
    const members = new Set(await site.groupMembers(group_id));
    return subject_ids.some((id) => members.has(id)) ? happened(null) : notHappened;
  },
  async undo({ site, others, takenOut }, { group_id, subject_ids }) {
    const listed = await site.groupMembers(group_id).catch((error: unknown) => {
      if (isRelayError(error, 'site_not_found')) return null;
      throw error;
    });
    if (listed === null) return already('the group is gone');
    const members = new Set(listed);
    const there = subject_ids.filter((id) => members.has(id));
    if (there.length === 0) return already('none of them is a member');
    const needed = new Set(others.flatMap(({ needs }) => Object.values(needs.subjects)));
    const ours = there.filter((id) => !needed.has(id));
    const known = new Map((await site.subjectsById(ours.slice(0, maxNamed))).map(({ id, name }) => [id, quoted(name)]));
    const names = ours.map((id) => known.get(id) ?? id);
    if (ours.length > 0) await site.removeFromGroup(group_id, ours);
    for (const id of ours) takenOut.add(id);
    const detail = `taken out: ${firstNames(names, ours.length)}`;
    if (ours.length === there.length) return undone(detail);
    const needing = `other areas need ${there.length - ours.length} of its members`;
    return ours.length === 0 ? left(needing) : undoneInPart(needing, detail);
  },
  values: (change) => {
    const ids = 'subject_ids' in change ? change.subject_ids : change.subjects.flatMap(({ id }) => id ?? []);
    return ids.map((id) => ({ name: 'member', key: id, before: false, written: true }));
  },
  // An undo does not remove members that another area needs.
  isNeeded: () => false,
};
