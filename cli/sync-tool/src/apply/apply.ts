import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Choice, Site } from '@ranger-relay/site';
import { memberOf, type Matches } from '../plan/match.ts';
import { nameOfPlanned } from './name.ts';
import { planStanding, type Present } from './standing.ts';

/** What is left of a plan on the site as it is now. */
export interface Due {
  readonly plan: SyncPlan;
  readonly matches: Matches;
  /** Changes that the site has already. */
  readonly already: number;
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
    form: has('universal_patrol_fields') ? await site.form() : null,
    choices: await readChoices(site, changes),
    subjects: has('subject', 'roster') ? await site.subjects() : [],
  };
};

const mostNamed = 5;

const outdated = (changes: readonly PlannedChange[]): RelayError => {
  const names = changes.slice(0, mostNamed).map(nameOfPlanned).join(', ');
  const more = changes.length > mostNamed ? ` and ${changes.length - mostNamed} more` : '';
  return new RelayError('plan_outdated', { details: { objects: `${names}${more}` } });
};

/** Those who are no members yet. */
const rosterDue = async (site: Site, change: PlannedChange, matches: Matches): Promise<PlannedChange[]> => {
  if (change.kind !== 'roster') return [change];
  const members = new Set(await site.groupMembers(change.group_id));
  const subjects = change.subjects.filter(({ member, id }) => {
    const known = id ?? matches.byMember.get(member)?.id;
    return known === undefined || !members.has(known);
  });
  return subjects.length === 0 ? [] : [{ ...change, subjects }];
};

/** Compares a plan with the site. Nothing is written. @throws RelayError `plan_outdated` */
export const dueOf = async (site: Site, plan: SyncPlan): Promise<Due> => {
  const present = await readPresent(site, plan);
  const standings = plan.changes.map((change) => ({ change, standing: planStanding(change, present) }));
  const lost = standings.filter(({ standing }) => standing === 'outdated');
  if (lost.length > 0) throw outdated(lost.map(({ change }) => change));
  const byMember = new Map(
    present.subjects.flatMap((subject) => {
      const member = memberOf(subject);
      return member === undefined ? [] : [[member, subject] as const];
    }),
  );
  const matches: Matches = { byMember, ambiguous: [] };
  const due = standings.flatMap(({ change, standing }) => (standing === 'due' ? [change] : []));
  const changes = (await Promise.all(due.map((change) => rosterDue(site, change, matches)))).flat();
  return { plan: { ...plan, changes }, matches, already: plan.changes.length - changes.length };
};
