import { z } from 'zod';
import { areaNeedsSchema, areaSchema, bundleReferenceSchema, syncOptionsSchema } from './plan.ts';

const members = z.record(z.string(), z.unknown());

/** One write of a run with the state that it replaced (bundle contract, 7). */
export const recordedChangeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('patrol_type'),
    action: z.enum(['created', 'updated']),
    value: z.string(),
    id: z.string(),
    before: members.optional(),
    written: members,
    /** Values that the site gave a created type; one that has others since is not deleted. */
    given: members.optional(),
  }),
  z.object({
    kind: z.literal('universal_patrol_fields'),
    action: z.literal('written'),
    /** Name of the file beside the record that contains the replaced document; null when there was none. */
    before_file: z.string().nullable(),
    written: members,
    /** What the run made of old fields that the site no longer stores as they are, as `<path>: <change>`. */
    repaired: z.array(z.string()).optional(),
  }),
  z.object({
    kind: z.literal('choice'),
    action: z.enum(['created', 'updated']),
    id: z.string().nullable(),
    field: z.string(),
    value: z.string(),
    before: members.optional(),
    written: members,
  }),
  z.object({
    kind: z.literal('subject'),
    action: z.enum(['created', 'updated']),
    id: z.string(),
    /** Uuid of the employee. */
    member: z.string().nullable(),
    /** The name on the site when an update was planned, for people. */
    name: z.string().optional(),
    before: members.optional(),
    written: members,
    /** Deactivated because another subject represents the employee; undo does not reactivate it. */
    reason: z.literal('duplicate').optional(),
  }),
  z.object({
    kind: z.literal('roster'),
    action: z.literal('added'),
    group_id: z.string(),
    group_name: z.string(),
    subject_ids: z.array(z.string()),
  }),
]);

/** The writes of a run, in order: everything that an undo needs. */
export const runRecordSchema = z.object({
  format: z.literal('patrol-datamodel-run'),
  format_version: z.literal('1.0'),
  tool: z.string(),
  status: z.enum(['complete', 'failed', 'interrupted']),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  site: z.string(),
  conservation_area: areaSchema,
  bundle: bundleReferenceSchema,
  options: syncOptionsSchema,
  plan_hash: z.string(),
  /** File of the plan, for a run that executes exactly that plan. */
  plan: z.string().optional(),
  /** Name of the record beside this one whose run did not finish, and with which this run went on: an undo takes back both. */
  continues: z.string().optional(),
  /** File of the checklist. */
  checklist: z.string(),
  needs: areaNeedsSchema,
  /** An operator has started to undo the run. */
  undone: z
    .object({
      at: z.string(),
      deleted_subjects: z.boolean(),
      /** Numbers of the writes that an undo took back; another undo leaves them alone. */
      entries: z.array(z.number().int()),
    })
    .optional(),
  changes: z.array(recordedChangeSchema),
});

/** Result of the undo of one entry of a record. */
export const undoneEntrySchema = z.object({
  record: z.string(),
  /** Index in the record's `changes`, from 0. */
  entry: z.number().int().min(0),
  kind: z.string(),
  /** Name of the object, for operators. */
  object: z.string(),
  /** `already`: the object is as before, without a write. */
  outcome: z.enum(['undone', 'already', 'left', 'failed']),
  /** The values that were put back, or of what is left those that differ from what the run wrote; may name people. */
  detail: z.string().nullable(),
  reason: z.string().nullable(),
});

/** The report of an undo. */
export const undoReportSchema = z.object({
  format: z.literal('patrol-datamodel-undo'),
  format_version: z.literal('1.0'),
  tool: z.string(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  site: z.string(),
  records: z.array(z.string()),
  entries: z.array(undoneEntrySchema),
});

export type RecordedChange = z.infer<typeof recordedChangeSchema>;
export type RunRecord = z.infer<typeof runRecordSchema>;
export type UndoneEntry = z.infer<typeof undoneEntrySchema>;
export type UndoReport = z.infer<typeof undoReportSchema>;
