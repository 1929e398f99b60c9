import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import type { Site, Subject } from '@ranger-relay/site';
import { memberOf } from '../plan/match.ts';
import type { Present } from './standing.ts';

type RosterChange = Extract<PlannedChange, { kind: 'roster' }>;

/** Ids are no part of a plan's hash: each has to stand for the employee that the plan names. */
const standsFor = (subject: Subject | undefined, member: string): boolean =>
  subject !== undefined && (memberOf(subject) ?? member) === member;

/**
 * Those who are to join the roster and are no members yet; `outdated` when the group is not the one that a run would choose now, or an id of
 * the plan is somebody else's.
 */
export const rosterDue = async (
  site: Site,
  { options }: SyncPlan,
  change: RosterChange,
  { subjects: present }: Pick<Present, 'subjects'>,
): Promise<RosterChange[] | 'outdated'> => {
  const group = await (options.roster_group === null
    ? site.firstMemberGroup()
    : site.groupByName(options.roster_group));
  if (group?.id !== change.group_id) return 'outdated';
  const byId = new Map(present.map((subject) => [subject.id, subject]));
  if (change.subjects.some(({ member, id }) => id !== null && !standsFor(byId.get(id), member))) return 'outdated';
  const byMember = new Map(present.map((subject) => [memberOf(subject), subject.id]));
  const members = new Set(await site.groupMembers(change.group_id));
  const subjects = change.subjects.filter(({ member, id }) => {
    const known = id ?? byMember.get(member);
    return known === undefined || !members.has(known);
  });
  return subjects.length === 0 ? [] : [{ ...change, subjects }];
};
