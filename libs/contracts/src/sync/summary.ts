import { z } from 'zod';
import { syncSteps } from './plan.ts';

const count = z.number().int().min(0);

/** A list that may be truncated. */
const cutList = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), left_out: count });

/** Results of a step, by number of objects. */
const stepCountSchema = z.object({
  created: count,
  updated: count,
  deactivated: count,
  unchanged: count,
  failed: count,
  /** Planned but not started, because the step or the run had ended before. Earlier tools do not count it. */
  not_tried: count.default(0),
});

/** Counts of a summary; a command has those that apply to it. */
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
 * The end of a sync command, for the program that started it: the termination message of its pod. At most `syncSummaryBytes` as JSON, so lists
 * and sentences may be truncated, but nothing that decides about the next step.
 */
export const syncSummarySchema = z.object({
  format: z.literal('patrol-datamodel-summary'),
  format_version: z.literal('1.0'),
  tool: z.string().max(40),
  /** Words of the command; null when the call named none. */
  command: z.string().max(40).nullable(),
  dry_run: z.boolean(),
  outcome: z.enum(['done', 'failed', 'usage', 'interrupted']),
  /** 3: done, but an undo left entries as they are. */
  exit: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3), z.literal(130)]),
  /** Code of the error registry; null when everything succeeded. */
  reason: z
    .string()
    .regex(/^[a-z_]{1,64}$/)
    .nullable(),
  /** The reason as a sentence. */
  message: z.string().nullable(),
  site: z.string().nullable(),
  plan_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Hash of the `manifest.json` that was read, or from which the plan was made. Earlier tools do not have it. */
  bundle: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .default(null),
  counts: z.partialRecord(z.enum(summaryCounts), count),
  steps: z.partialRecord(z.enum(syncSteps), stepCountSchema).nullable(),
  /** Steps that did not complete, with the code of their error. */
  failures: z
    .array(z.object({ step: z.enum(syncSteps), reason: z.string().regex(/^[a-z_]{1,64}$/) }))
    .max(syncSteps.length),
  /**
   * Number of subjects that stay on the site but are no longer shown, or would be in a dry run. Null when the command does not concern people.
   */
  people_deactivated: count.nullable(),
  /** Whether the patrols would import after a run or a comparison; null when nobody looked. */
  verdict: z.string().nullable().default(null),
  /** Names of files in the folder of the checklist. */
  record: z.string().nullable(),
  checklist: z.string().nullable(),
  plan: z.string().nullable(),
  report: z.string().nullable(),
  /** Problems of a bundle, or what an undo left. */
  problems: cutList(z.string()),
  /** Open items of the checklist. */
  open: cutList(z.object({ who: z.enum(['operator', 'site_admin', 'ext_admin']), text: z.string() })),
});

/** Maximum size of a termination message in Kubernetes, bytes. */
export const syncSummaryBytes = 4_096;

export type SyncSummary = z.infer<typeof syncSummarySchema>;
export type SyncStepCount = z.infer<typeof stepCountSchema>;
