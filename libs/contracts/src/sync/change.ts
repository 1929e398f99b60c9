import { z } from 'zod';

/** Any JSON object, unchanged. */
const members = z.record(z.string(), z.unknown());
const uuid = z.string().regex(/^[0-9a-f]{32}$/);

const typeValues = z.object({ value: z.string(), display: z.string(), is_active: z.boolean() });
const choiceValues = z.object({ display: z.string(), is_active: z.boolean() });
const subjectValues = z.object({ name: z.string(), is_active: z.boolean(), additional: members });

const typeCreated = z.object({
  kind: z.literal('patrol_type'),
  action: z.literal('created'),
  value: z.string(),
  written: typeValues,
});
const typeUpdated = z.object({
  kind: z.literal('patrol_type'),
  action: z.literal('updated'),
  value: z.string(),
  id: z.string(),
  before: typeValues.partial(),
  written: typeValues.partial(),
});
const formWritten = z.object({
  kind: z.literal('universal_patrol_fields'),
  action: z.literal('written'),
  /** The whole document that is replaced; null when there is none. */
  before: members.nullable(),
  written: members,
  /** The differences, member by member, for operators. */
  notes: z.array(z.string()),
});
const choiceCreated = z.object({
  kind: z.literal('choice'),
  action: z.literal('created'),
  field: z.string(),
  value: z.string(),
  written: choiceValues.extend({ ordernum: z.number().int().min(0) }),
});
const choiceUpdated = z.object({
  kind: z.literal('choice'),
  action: z.literal('updated'),
  field: z.string(),
  value: z.string(),
  id: z.string(),
  before: choiceValues.partial(),
  written: choiceValues.partial(),
});
const subjectCreated = z.object({
  kind: z.literal('subject'),
  action: z.literal('created'),
  /** Uuid of the employee. */
  member: uuid,
  written: subjectValues.extend({ subject_subtype: z.string() }),
});

/** Why an earlier run's subject is deactivated; `duplicate`: another subject represents the same employee. */
export const deactivationSchema = z.enum(['login', 'not_planned', 'not_in_bundle', 'duplicate']);

const subjectUpdated = z.object({
  kind: z.literal('subject'),
  action: z.literal('updated'),
  /** Uuid of the employee; null for a subject whose employee is not known. */
  member: uuid.nullable(),
  id: z.string(),
  name: z.string(),
  before: subjectValues.partial(),
  written: subjectValues.partial(),
  /** Set when the subject is deactivated because it is no longer planned. */
  reason: deactivationSchema.optional(),
});
const rosterAdded = z.object({
  kind: z.literal('roster'),
  action: z.literal('added'),
  group_id: z.string(),
  group_name: z.string(),
  /** `id` is null for a subject that the plan creates. */
  subjects: z.array(z.object({ member: uuid, id: z.string().nullable() })),
});

/** One write of a plan: the current and the planned state. `before` has the members that `written` replaces. */
export const plannedChangeSchema = z.union([
  typeCreated,
  typeUpdated,
  formWritten,
  choiceCreated,
  choiceUpdated,
  subjectCreated,
  subjectUpdated,
  rosterAdded,
]);

/** The steps, in the order of their execution. */
export const syncSteps = ['patrol_types', 'universal_patrol_fields', 'choices', 'subjects', 'roster'] as const;

export type PlannedChange = z.infer<typeof plannedChangeSchema>;
export type Deactivation = z.infer<typeof deactivationSchema>;
export type SyncStep = (typeof syncSteps)[number];

const stepOfKind: Readonly<Record<PlannedChange['kind'], SyncStep>> = {
  patrol_type: 'patrol_types',
  universal_patrol_fields: 'universal_patrol_fields',
  choice: 'choices',
  subject: 'subjects',
  roster: 'roster',
};

/** The step that a change belongs to. */
export const stepOf = ({ kind }: Pick<PlannedChange, 'kind'>): SyncStep => stepOfKind[kind];
