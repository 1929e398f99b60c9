import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import type { Choice, Site } from '@ranger-relay/site';
import { isOurs, subjectsByMember, type Matches } from '../plan/match.ts';
import { planOutdated } from './name.ts';
import { rosterDue } from './roster-due.ts';
import { planStanding, type Present } from './standing.ts';

/** What is left of a plan on the site as it is now. */
export interface Due {
  readonly plan: SyncPlan;
  readonly matches: Matches;
  /** Changes that the site has already. */
  readonly already: number;
  /** Active subjects that earlier runs made for the area. */
  readonly ours: number;
}

const readChoices = async (site: Site, changes: readonly PlannedChange[]): Promise<Present['choices']> => {
  const fields = new Set(changes.flatMap((change) => (change.kind === 'choice' ? [change.field] : [])));
  const found = new Map<string, readonly Choice[]>();
  for (const field of fields) found.set(field, await site.choices(field));
  return found;
};

const readPresent = async (site: Site, { changes }: SyncPlan): Promise<Present> => {
  const has = (...kinds: readonly PlannedChange['kind'][]): boolean => changes.some(({ kind }) => kinds.includes(kind));
  return {
    types: has('patrol_type') ? await site.patrolTypes() : [],
    form: has('universal_patrol_fields') && (await site.patrolSchemas()) ? await site.form() : undefined,
    choices: await readChoices(site, changes),
    subjects: has('subject', 'roster') ? await site.subjects() : [],
  };
};

/** Compares a plan with the site. Nothing is written. @throws RelayError `plan_outdated` */
export const dueOf = async (site: Site, plan: SyncPlan): Promise<Due> => {
  const present = await readPresent(site, plan);
  const matches = { byMember: subjectsByMember(present.subjects), ambiguous: [] };
  const [changes, lost]: [PlannedChange[], PlannedChange[]] = [[], []];
  for (const change of plan.changes) {
    if (change.kind === 'roster') {
      const due = await rosterDue(site, plan, change, present);
      if (due === 'outdated') lost.push(change);
      else changes.push(...due);
      continue;
    }
    const standing = planStanding(change, present);
    if (standing === 'outdated') lost.push(change);
    if (standing === 'due') changes.push(change);
  }
  if (lost.length > 0) throw planOutdated(lost);
  const ours = present.subjects.filter((each) => each.is_active && isOurs(each, plan.conservation_area)).length;
  return { plan: { ...plan, changes }, matches, already: plan.changes.length - changes.length, ours };
};
