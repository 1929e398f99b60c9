import { type PlannedChange, type SyncKind, type SyncPlan, syncPlanSchema } from '@ranger-relay/contracts';
import { RelayError, parseExactJson } from '@ranger-relay/errors';
import type { Choice, Site } from '@ranger-relay/site';
import { activeIn, type Matches, subjectsByMember } from '../plan/match.ts';
import { hashOf } from '../plan/plan.ts';
import type { Disk } from '../run/machine.ts';
import { reasonOf } from '../bundle/files/read-lines.ts';
import { planOutdated, type PresentState, resourceOf } from '../resources/index.ts';

const bad = (path: string, reason: string): RelayError => new RelayError('plan_invalid', { details: { path, reason } });

const parse = (path: string, content: string): SyncPlan => {
  try {
    return syncPlanSchema.parse(parseExactJson(content));
  } catch (error) {
    throw bad(path, error instanceof SyntaxError ? 'it is no JSON' : 'members are missing or wrong');
  }
};

/**
 * Reads a plan and verifies its hash.
 * @param approved the hash of the plan that the operator approved, when it is known
 * @throws RelayError `plan_invalid`
 */
export const loadPlan = async (disk: Disk, path: string, site: string, approved?: string): Promise<SyncPlan> => {
  const content = await disk.readFile(path, 'utf8').catch((error: unknown) => {
    throw bad(path, `it ${reasonOf(error)}`);
  });
  const plan = parse(path, content);
  if (hashOf(plan) !== plan.hash) throw bad(path, 'it was changed after it was made: its hash does not fit');
  if (approved !== undefined && plan.hash !== approved)
    throw bad(path, `its hash is ${plan.hash}, and the plan that was approved has ${approved}`);
  if (plan.site !== site) throw bad(path, `it is for the site ${plan.site}, not for ${site}`);
  return plan;
};

/** The remaining changes of a plan, given the current state of the site. */
export interface Due {
  readonly plan: SyncPlan;
  readonly matches: Matches;
  /** Number of changes that the site already has. */
  readonly already: number;
  /** Number of active subjects of the area; the default limit of deactivations is a part of it. */
  readonly ours: number;
}

const readChoices = async (site: Site, changes: readonly PlannedChange[]): Promise<PresentState['choices']> => {
  const fields = new Set(changes.flatMap((change) => (change.kind === 'choice' ? [change.field] : [])));
  const found = new Map<string, readonly Choice[]>();
  for (const field of fields) found.set(field, await site.choices(field));
  return found;
};

const readPresent = async (site: Site, { changes }: SyncPlan): Promise<PresentState> => {
  const has = (...kinds: readonly SyncKind[]): boolean => changes.some(({ kind }) => kinds.includes(kind));
  return {
    types: has('patrol_type') ? await site.patrolTypes() : [],
    form: has('universal_patrol_fields') && (await site.patrolSchemas()) ? await site.form() : undefined,
    choices: await readChoices(site, changes),
    subjects: has('subject', 'roster') ? await site.subjects() : [],
  };
};

/** Compares a plan with the site. Writes nothing. @throws RelayError `plan_outdated` */
export const dueOf = async (site: Site, plan: SyncPlan): Promise<Due> => {
  const present = await readPresent(site, plan);
  const matches = { byMember: subjectsByMember(present.subjects), ambiguous: [] };
  const changes: PlannedChange[] = [];
  const outdated: string[] = [];
  for (const change of plan.changes) {
    const resource = resourceOf(change);
    const due = await resource.compare(change, present, { site, plan });
    if (due === 'outdated') outdated.push(resource.name(change));
    else changes.push(...due);
  }
  if (outdated.length > 0) throw planOutdated(outdated);
  const ours = activeIn(present.subjects, plan.conservation_area);
  return { plan: { ...plan, changes }, matches, already: plan.changes.length - changes.length, ours };
};
