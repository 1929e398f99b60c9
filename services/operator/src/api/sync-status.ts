import { z } from 'zod';
import { count, moment, wholly, word } from './fields.ts';
import { conditionsSchema, jobSchema, openSchema, planSchema, runSchema } from './run-status.ts';

const approval = z
  .object({
    value: word('The value of spec.approve that was used.'),
    generation: count('Generation in which plans were applied.'),
    inputs: word('Hash of the fields of the spec that they follow from.').optional(),
    run: word('Value of the run annotation under which plans were applied.'),
    hashes: z.array(word('Hash of a plan that was applied.')).meta({ description: 'Plans that were applied since.' }),
  })
  .meta({ description: 'The approval that was used, so that it is used once.', ...wholly });

const checklist = z
  .object({
    path: word('File of the checklist on the output volume.'),
    openItems: count('How many items are open.'),
    open: openSchema,
  })
  .meta({ description: 'What only a person can do.', ...wholly });

const drift = z
  .object({
    generation: count('Generation of the spec that was checked.'),
    inputs: word('Hash of the fields of the spec that it follows from.').optional(),
    run: word('Value of the run annotation under which it was checked.'),
    number: count('Which check of this object it was.'),
    differences: count('How many objects of the site differ from what the bundle asks for.').optional(),
    bundle: word('Bundle that the site was compared with: SHA-256 of its manifest.json.').optional(),
    message: word('Why the check itself failed.').optional(),
    lastRun: word('Job of the last run before the check; a run that came behind it is not checked yet.').optional(),
    checkedAt: moment('When its end was seen.'),
  })
  .meta({ description: 'The last comparison of the site with the bundle. It is only reported.', ...wholly });

const rolledBack = z
  .object({
    name: word('Name of the PatrolSyncRollback.'),
    uid: word('Uid of the PatrolSyncRollback.'),
    generation: count('Generation of the spec that is not applied any more.'),
    inputs: word('Hash of the fields of the spec that is not applied any more.').optional(),
    run: word('Value of the run annotation that is not applied any more.'),
  })
  .meta({ description: 'A rollback: nothing is applied until the spec or the run annotation changes.', ...wholly });

const pruned = z
  .object({
    number: count('Number of the plan behind which the output volume was tidied up.'),
    inputs: word('Hash of the fields of the spec that it follows from.').optional(),
    message: word('Why not all of it could be tidied up; it is tried again behind the next plan.').optional(),
  })
  .meta({
    description: 'When older runs were last deleted from the output volume, as spec.keepRuns wants it.',
    ...wholly,
  });

/** Status of a PatrolSync. */
export const syncStatusSchema = z
  .object({
    observedGeneration: count('Generation of the spec that this status speaks about.').optional(),
    conditions: conditionsSchema.optional(),
    step: word('What the operator did last, or what it waits for.').optional(),
    plans: count('How many plans were made.').optional(),
    job: jobSchema.optional(),
    plan: planSchema.optional(),
    approval: approval.optional(),
    lastRun: runSchema.optional(),
    checklist: checklist.optional(),
    drift: drift.optional(),
    rolledBack: rolledBack.optional(),
    pruned: pruned.optional(),
  })
  .meta({ description: 'What the operator has seen and done; written by it alone.' });

export type SyncStatus = z.infer<typeof syncStatusSchema>;
/** Status without the fields that follow from a decision: conditions, step and observed generation. */
export type SyncFacts = Omit<SyncStatus, 'conditions' | 'step' | 'observedGeneration'>;
