import { z } from 'zod';
import { syncSteps } from './change.ts';

const count = z.number().int().min(0);

/** A list of which the end may have been cut off. */
const cutList = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), left_out: count });

/** What a step did, object by object. */
const stepCountSchema = z.object({
  created: count,
  updated: count,
  deactivated: count,
  unchanged: count,
  failed: count,
  /** Planned, and not begun: the step, or the run, had ended before. Earlier tools do not count it. */
  not_tried: count.default(0),
});

/** What a summary counts; a command has those that it knows. */
export const summaryCounts = [
  ...stepCountSchema.keyof().options,
  'already_there',
  'undone',
  'left',
  'differences',
  'ok',
  'unknown',
] as const;

/**
 * How a call of the sync ended, for whatever started it: the termination message of its pod. At most `syncSummaryBytes` as JSON, so lists and
 * sentences may be cut; what decides about the next step never is.
 */
export const syncSummarySchema = z.object({
  format: z.literal('patrol-datamodel-summary'),
  format_version: z.literal('1.0'),
  tool: z.string().max(40),
  /** Words of the command; null when the call named none. */
  command: z.string().max(40).nullable(),
  dry_run: z.boolean(),
  outcome: z.enum(['done', 'failed', 'usage', 'interrupted']),
  exit: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(130)]),
  /** Code of the error registry; null when all is done. */
  reason: z
    .string()
    .regex(/^[a-z_]{1,64}$/)
    .nullable(),
  /** The same for people. */
  message: z.string().nullable(),
  site: z.string().nullable(),
  plan_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Of `manifest.json`: which bundle was read, or the plan was made from. Tools that do not say it yet leave it out. */
  bundle: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .default(null),
  counts: z.partialRecord(z.enum(summaryCounts), count),
  steps: z.record(z.enum(syncSteps), stepCountSchema).nullable(),
  /** Steps that did not come to their end, with the code of what stopped them. */
  failures: z
    .array(z.object({ step: z.enum(syncSteps), reason: z.string().regex(/^[a-z_]{1,64}$/) }))
    .max(syncSteps.length),
  /** Subjects that stay on the site and are no longer shown; in a dry run those that would. Null when the command is not about people. */
  people_deactivated: count.nullable(),
  /** Names of files in the folder of the checklist. */
  record: z.string().nullable(),
  checklist: z.string().nullable(),
  plan: z.string().nullable(),
  report: z.string().nullable(),
  /** What is wrong with a bundle, or was left by an undo. */
  problems: cutList(z.string()),
  /** What is open on the checklist. */
  open: cutList(z.object({ who: z.enum(['operator', 'site_admin', 'ext_admin']), text: z.string() })),
});

/** Bytes that Kubernetes keeps of a termination message. */
export const syncSummaryBytes = 4_096;

export type SyncSummary = z.infer<typeof syncSummarySchema>;
export type SyncStepCount = z.infer<typeof stepCountSchema>;
