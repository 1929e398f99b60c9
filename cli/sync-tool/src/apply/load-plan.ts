import { readFile } from 'node:fs/promises';
import { syncPlanSchema, type SyncPlan } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { parseExactJson } from '@ranger-relay/site';
import { hashOf } from '../plan/plan.ts';

const bad = (path: string, reason: string): RelayError => new RelayError('plan_invalid', { details: { path, reason } });

const parse = (path: string, content: string): SyncPlan => {
  try {
    return syncPlanSchema.parse(parseExactJson(content));
  } catch (error) {
    throw bad(path, error instanceof SyntaxError ? 'it is no JSON' : 'members are missing or wrong');
  }
};

/**
 * Reads a plan: what it says is what its hash says.
 * @param approved the hash of the plan that somebody looked at, when it is known
 * @throws RelayError `plan_invalid`
 */
export const loadPlan = async (path: string, site: string, approved?: string): Promise<SyncPlan> => {
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw bad(path, (error as Error).message);
  });
  const plan = parse(path, content);
  if (hashOf(plan) !== plan.hash) throw bad(path, 'it was changed after it was made: its hash does not fit');
  if (approved !== undefined && plan.hash !== approved)
    throw bad(path, `its hash is ${plan.hash}, and the plan that was approved has ${approved}`);
  if (plan.site !== site) throw bad(path, `it is for the site ${plan.site}, not for ${site}`);
  return plan;
};
