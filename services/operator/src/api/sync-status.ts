import { z } from 'zod';
import { count, moment, wholly, word } from './fields.ts';
import { conditionsSchema, jobSchema, openSchema, planSchema, runSchema } from './run-status.ts';

const approval = z
  .object({
    value: word('The value of spec.approve that was used.'),
    generation: count('Generation in which plans were applied.'),
    inputs: word('Hash of the fields of the spec that they depend on.').optional(),
    run: word('Value of the run annotation under which plans were applied.'),
    hashes: z
      .array(word('Hash of a plan that was applied.'))
      .meta({ description: 'Plans that were applied since then.' }),
  })
  .meta({ description: 'The last used approval; an approval is used once.', ...wholly });

const checklist = z
  .object({
    path: word('File of the checklist on the output volume.'),
    openItems: count('Number of open items.'),
    open: openSchema,
  })
  .meta({ description: 'Tasks for a person.', ...wholly });

const drift = z
  .object({
    generation: count('Generation of the spec that was checked.'),
    inputs: word('Hash of the fields of the spec that it depends on.').optional(),
    run: word('Value of the run annotation under which it was checked.'),
    number: count('Number of the check of this object.'),
    differences: count('Number of objects of the site that differ from the bundle.').optional(),
    bundle: word('Bundle that the site was compared with: SHA-256 of its manifest.json.').optional(),
    verdict: word('Whether the patrols of the bundle would import.').optional(),
    message: word('Why the check itself failed.').optional(),
    lastRun: word('Job of the last run before the check; a later run is not checked yet.').optional(),
    checkedAt: moment('When the operator saw its end.'),
  })
  .meta({ description: 'The last comparison of the site with the bundle.', ...wholly });

const rolledBack = z
  .object({
    name: word('Name of the PatrolSyncRollback.'),
    uid: word('Uid of the PatrolSyncRollback.'),
    generation: count('Generation of the spec that is no longer applied.'),
    inputs: word('Hash of the fields of the spec that is no longer applied.').optional(),
    run: word('Value of the run annotation that is no longer applied.'),
  })
  .meta({ description: 'A rollback: nothing is applied until the spec or the run annotation changes.', ...wholly });

const pruned = z
  .object({
    number: count('Number of the plan after which older runs were deleted.'),
    inputs: word('Hash of the fields of the spec that it depends on.').optional(),
    message: word('Why older runs could not all be deleted; the operator retries after the next plan.').optional(),
  })
  .meta({
    description: 'When older runs were last deleted from the output volume, as spec.keepRuns requests.',
    ...wholly,
  });

/** Status of a PatrolSync. */
export const syncStatusSchema = z
  .object({
    observedGeneration: count('Generation of the spec that this status describes.').optional(),
    conditions: conditionsSchema.optional(),
    step: word('What the operator did last, or what it waits for.').optional(),
    plans: count('Number of plans.').optional(),
    job: jobSchema.optional(),
    plan: planSchema.optional(),
    approval: approval.optional(),
    lastRun: runSchema.optional(),
    checklist: checklist.optional(),
    drift: drift.optional(),
    rolledBack: rolledBack.optional(),
    pruned: pruned.optional(),
  })
  .meta({ description: 'State of the sync; written only by the operator.' });

export type SyncStatus = z.infer<typeof syncStatusSchema>;
/** Status without the fields that follow from a decision: conditions, step and observed generation. */
export type SyncFacts = Omit<SyncStatus, 'conditions' | 'step' | 'observedGeneration'>;
