import { syncKinds } from '@ranger-relay/contracts';
import { z } from 'zod';
import { count, objectName, pathInside, rules, span, whole, word } from './fields.ts';
import { conditionsSchema, jobSchema, planSchema, runSchema } from './run-status.ts';

/** Spec of a PatrolSyncRollback. */
export const rollbackSpecSchema = z
  .object({
    syncRef: z
      .object({ name: objectName('Name of the PatrolSync, in the same namespace.') })
      .meta({ description: 'The PatrolSync whose runs are taken back; its site, token and output volume are used.' }),
    records: z
      .array(
        pathInside('File of a run record on the output volume, as status.lastRun.record of the PatrolSync shows it.'),
      )
      .min(1)
      .max(20)
      .meta({
        description: 'Records of the runs to take back; the newest is taken back first.',
        'x-kubernetes-list-type': 'atomic',
      }),
    deleteSubjects: z.boolean().default(false).meta({
      description:
        'Delete the subjects that a run created, which needs an admin’s permission; else they become inactive.',
    }),
    force: z
      .array(z.enum(syncKinds).meta({ description: 'A kind of objects.' }))
      .max(syncKinds.length)
      .default([])
      .meta({
        description: 'Undo entries of these kinds although they were changed since.',
        'x-kubernetes-list-type': 'set',
      }),
    mode: z
      .enum(['plan', 'apply'])
      .default('plan')
      .meta({ description: 'plan: only show what would be taken back. apply: take it back, once it is approved.' }),
    approve: z
      .string()
      .regex(/^(auto|[0-9a-f]{64})$/)
      .optional()
      .meta({
        description:
          'Hash of the plan that may be carried out, as status.plan.hash shows it, or auto for whatever would be taken back.',
      }),
    retries: whole(
      0,
      10,
      'How often an undo that failed or was broken off is tried again; what is undone stays undone.',
    ).default(2),
    suspend: z.boolean().default(false).meta({ description: 'Start nothing more; a Job under way is left to end.' }),
    jobRetention: span(
      'How long a Job that has ended stays, with its log, an hour at least; reports stay on the volume anyway.',
    ).default('720h'),
  })
  .meta({
    description: 'Which runs are to be taken back.',
    ...rules(
      {
        rule: 'self.syncRef == oldSelf.syncRef && self.records == oldSelf.records',
        message: 'syncRef and records cannot be changed: make another PatrolSyncRollback',
      },
      { rule: '!has(self.approve) || self.mode == "apply"', message: 'approve needs mode: apply' },
    ),
  });

/** Status of a PatrolSyncRollback. */
export const rollbackStatusSchema = z
  .object({
    observedGeneration: count('Generation of the spec that this status speaks about.').optional(),
    conditions: conditionsSchema.optional(),
    step: word('What the operator did last, or what it waits for.').optional(),
    plans: count('How many plans were made.').optional(),
    job: jobSchema.optional(),
    plan: planSchema.optional(),
    lastRun: runSchema.optional(),
  })
  .meta({ description: 'What the operator has seen and done; written by it alone.' });

export type RollbackSpec = z.infer<typeof rollbackSpecSchema>;
export type RollbackStatus = z.infer<typeof rollbackStatusSchema>;
/** Status without the fields that follow from a decision: conditions, step and observed generation. */
export type RollbackFacts = Omit<RollbackStatus, 'conditions' | 'step' | 'observedGeneration'>;
