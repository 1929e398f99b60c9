import { syncKinds } from '@ranger-relay/contracts';
import { z } from 'zod';
import { count, objectName, pathInside, rules, span, whole, word } from './fields.ts';
import { conditionsSchema, jobSchema, planSchema, runSchema } from './run-status.ts';

/** Spec of a PatrolSyncRollback. */
export const rollbackSpecSchema = z
  .object({
    syncRef: z
      .object({ name: objectName('Name of the PatrolSync, in the same namespace.') })
      .meta({ description: 'The PatrolSync whose runs are undone; its site, token and output volume are used.' }),
    records: z
      .array(
        pathInside('File of a run record on the output volume, as status.lastRun.record of the PatrolSync shows it.'),
      )
      .min(1)
      .max(20)
      .meta({
        description: 'Records of the runs to undo; the newest is undone first.',
        'x-kubernetes-list-type': 'atomic',
      }),
    deleteSubjects: z.boolean().default(false).meta({
      description:
        'Delete the subjects that a run created, which requires the permission of an admin; by default they become inactive.',
    }),
    force: z
      .array(z.enum(syncKinds).meta({ description: 'A kind of object.' }))
      .max(syncKinds.length)
      .default([])
      .meta({
        description: 'Undo entries of these kinds even if they were changed since.',
        'x-kubernetes-list-type': 'set',
      }),
    mode: z
      .enum(['plan', 'apply'])
      .default('plan')
      .meta({ description: 'plan: only show what would be undone. apply: undo it once it is approved.' }),
    approve: z
      .string()
      .regex(/^(auto|[0-9a-f]{64})$/)
      .optional()
      .meta({
        description: 'Hash of the plan that may be applied, as status.plan.hash shows it, or auto for any plan.',
      }),
    retries: whole(0, 10, 'How often a failed or interrupted undo is retried; undone entries stay undone.').default(2),
    suspend: z.boolean().default(false).meta({ description: 'Start no further Job; a running Job completes.' }),
    jobRetention: span(
      'How long a finished Job is kept, with its log, at least an hour; reports on the volume are kept anyway.',
    ).default('720h'),
  })
  .meta({
    description: 'The runs to undo.',
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
  .meta({ description: 'State of the undo; written only by the operator.' });

export type RollbackSpec = z.infer<typeof rollbackSpecSchema>;
export type RollbackStatus = z.infer<typeof rollbackStatusSchema>;
/** Status without the fields that follow from a decision: conditions, step and observed generation. */
export type RollbackFacts = Omit<RollbackStatus, 'conditions' | 'step' | 'observedGeneration'>;
