import { isObject } from '@ranger-relay/errors';
import { z } from 'zod';
import type { KubeObject } from '../kube/object.ts';
import { count, listMap, moment, wholly, word } from './fields.ts';

/** Removes empty objects: server-side apply removes members one by one and may leave a meaningless empty parent. */
export const withoutEmpty = (value: unknown): unknown => {
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
};

/** Reads the status of an object. An unreadable status counts as lost, and existing Jobs are adopted again. */
export const readStatus = <Schema extends z.ZodType>(
  schema: Schema,
  { status }: KubeObject,
): z.infer<Schema> | undefined => schema.safeParse(withoutEmpty(status) ?? {}).data;

/** Commands of a Job. `plan`, `verify` and `undo-plan` only read the site; `prune` only touches the output volume. */
export const commands = ['plan', 'apply', 'resume', 'verify', 'undo-plan', 'undo', 'prune'] as const;

export const conditionsSchema = z
  .array(
    z.object({
      type: word('Type of the condition.'),
      status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Status of the condition.' }),
      reason: word('Reason, for programs.'),
      message: word('Explanation for people, and what to do next.'),
      observedGeneration: count('Generation of the spec that the condition describes.'),
      lastTransitionTime: moment('When the status last changed.'),
    }),
  )
  .meta({
    description: 'Ready, Reconciling, Planned, ApprovalRequired and Stalled.',
    ...listMap('type'),
  });

/** The current Job: recorded before it may start. */
export const jobSchema = z
  .object({
    name: word('Name of the Job.'),
    uid: word('Uid of the Job.'),
    command: z.enum(commands).meta({ description: 'Command of the Job.' }),
    generation: count('Generation of the spec that it was made for.'),
    inputs: word('Hash of the fields of the spec that it depends on.').optional(),
    run: word('Value of the run annotation that it was made for.'),
    number: count('Number of the plan, or of the check.'),
    attempt: count('Number of the attempt, from 0.'),
    planHash: word('Hash of the plan that it applies.').optional(),
    since: moment('When it was recorded here.'),
  })
  .meta({ description: 'The running Job; recorded here before it starts.', ...wholly });

const counts = z.record(z.string(), z.int().min(0)).meta({
  description: 'Numbers of objects: created, updated, deactivated, unchanged, failed, undone, left and so on.',
});

export const openSchema = z
  .array(z.object({ who: word('Who has to act.'), text: word('The task.') }))
  .meta({ description: 'The first open items.', 'x-kubernetes-list-type': 'atomic' });

/** How a Job ended. */
const endSchema = z.object({
  outcome: z
    .enum(['done', 'failed', 'usage', 'interrupted', 'unknown'])
    .meta({ description: 'Outcome; unknown if the Job reported none.' }),
  exit: z.int().optional().meta({ description: 'Exit status of the tool.' }),
  reason: word('Code of the error registry.').optional(),
  message: word('What went wrong, and what to do.').optional(),
  counts: counts.optional(),
  job: word('Name of the Job.'),
  endedAt: moment('When the operator saw its end.'),
});

/** A completed plan. */
export const planSchema = endSchema
  .extend({
    generation: count('Generation of the spec that it is for.'),
    inputs: word('Hash of the fields of the spec that it depends on.').optional(),
    run: word('Value of the run annotation that it is for.'),
    number: count('Number of the plan of this object.'),
    hash: word('Hash of the plan, as the tool computes it: what spec.approve takes.').optional(),
    bundle: word('Bundle that it was made from: SHA-256 of its manifest.json.').optional(),
    writes: count('Number of its changes.'),
    peopleDeactivated: count('Subjects that would no longer be shown.'),
    path: word('File of the plan on the output volume.'),
    tries: count('Number of attempts to plan.'),
    outdated: z.boolean().optional().meta({ description: 'The site has changed since it was planned.' }),
  })
  .meta({ description: 'The last plan: its writes, and where to read it.', ...wholly });

/** A started run. */
export const runSchema = endSchema
  .extend({
    command: z.enum(commands).meta({ description: 'Command of the last Job of the run.' }),
    generation: count('Generation of the spec that it was for.'),
    run: word('Value of the run annotation that it was for.'),
    number: count('Number of the plan that was applied.'),
    planHash: word('Hash of the plan that was applied.').optional(),
    attempt: count('How often it was resumed or retried.'),
    folder: word('Folder of the run on the output volume.'),
    record: word('File of the run record on the output volume.').optional(),
    nothingWritten: z.boolean().optional().meta({ description: 'It is certain that nothing was written.' }),
  })
  .meta({ description: 'The last run that could write to the site.', ...wholly });

export type Command = (typeof commands)[number];
export type JobStatus = z.infer<typeof jobSchema>;
export type PlanStatus = z.infer<typeof planSchema>;
export type RunStatus = z.infer<typeof runSchema>;
export type JobEnd = z.infer<typeof endSchema>;
