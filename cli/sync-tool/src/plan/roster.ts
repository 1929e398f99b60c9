import type { DesiredSubject } from '../desired/subjects.ts';
import type { Matches } from './match.ts';
import type { Roster } from './read.ts';
import { skippedStep, type StepPlan } from './step.ts';

/** Adds every planned subject that is no member yet, inactive ones too; nobody is taken off (site contract, 7). */
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
