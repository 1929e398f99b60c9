import { isRecord, type KubeObject } from '@ranger-relay/operator-kit';
import { z } from 'zod';
import { count, listMap, moment, wholly, word } from './fields.ts';

/** Removes empty objects: server-side apply removes members one by one and may leave a meaningless empty parent. */
export const withoutEmpty = (value: unknown): unknown => {
  if (!isRecord(value)) return value;
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
      type: word('What is said.'),
      status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Whether it is so.' }),
      reason: word('One word for programs.'),
      message: word('A sentence for people: what is so, and what to do next.'),
      observedGeneration: count('Generation of the spec that it speaks about.'),
      lastTransitionTime: moment('Since when the status is what it is.'),
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
    command: z.enum(commands).meta({ description: 'What it does.' }),
    generation: count('Generation of the spec that it was made for.'),
    inputs: word('Hash of the fields of the spec that it follows from.').optional(),
    run: word('Value of the run annotation that it was made for.'),
    number: count('Number of the plan, or of the check.'),
    attempt: count('Which try it is, from 0.'),
    planHash: word('Hash of the plan that it carries out.').optional(),
    since: moment('When it was written down here.'),
  })
  .meta({ description: 'The Job that is under way; it is written down here before it may begin.', ...wholly });

const counts = z
  .record(z.string(), z.int().min(0))
  .meta({ description: 'How many objects: created, updated, deactivated, unchanged, failed, undone, left and so on.' });

export const openSchema = z
  .array(z.object({ who: word('Who has to do it.'), text: word('What is to be done.') }))
  .meta({ description: 'The first open items.', 'x-kubernetes-list-type': 'atomic' });

/** How a Job ended. */
const endSchema = z.object({
  outcome: z
    .enum(['done', 'failed', 'usage', 'interrupted', 'unknown'])
    .meta({ description: 'How it ended; unknown when nothing was heard of it.' }),
  exit: z.int().optional().meta({ description: 'Exit status of the tool.' }),
  reason: word('Code of the registry of errors.').optional(),
  message: word('What went wrong, and what to do.').optional(),
  counts: counts.optional(),
  job: word('Name of the Job.'),
  endedAt: moment('When its end was seen.'),
});

/** A completed plan. */
export const planSchema = endSchema
  .extend({
    generation: count('Generation of the spec that it is for.'),
    inputs: word('Hash of the fields of the spec that it follows from.').optional(),
    run: word('Value of the run annotation that it is for.'),
    number: count('Which plan of this object it is.'),
    hash: word('Hash of the plan, as the tool computes it: what spec.approve takes.').optional(),
    bundle: word('Bundle that it was made from: SHA-256 of its manifest.json.').optional(),
    writes: count('How many changes it would make.'),
    peopleDeactivated: count('Subjects that would no longer be shown.'),
    path: word('File of the plan on the output volume.'),
    tries: count('How often planning was tried.'),
    outdated: z.boolean().optional().meta({ description: 'The site is no longer as the plan saw it.' }),
  })
  .meta({ description: 'The last plan: what would be written, and where to read it.', ...wholly });

/** A started run. */
export const runSchema = endSchema
  .extend({
    command: z.enum(commands).meta({ description: 'What the last Job of the run did.' }),
    generation: count('Generation of the spec that it was for.'),
    run: word('Value of the run annotation that it was for.'),
    number: count('Number of the plan that was carried out.'),
    planHash: word('Hash of the plan that was carried out.').optional(),
    attempt: count('How often it was resumed or tried again.'),
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
