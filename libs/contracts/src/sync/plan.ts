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
  /** The text on the site, for operators. */
  display: z.string(),
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
  /** What the run made of old fields that the site no longer stores as they are, as `<path>: <change>`. */
  repaired: z.array(z.string()).optional(),
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
  /** The text on the site, for operators. */
  display: z.string(),
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

/**
 * Why a subject that is not planned is deactivated; `duplicate`: another subject represents the same employee; `other_word`: it stands for an
 * employee of the bundle under another word than that of the run.
 */
export const deactivationSchema = z.enum(['login', 'not_planned', 'not_in_bundle', 'duplicate', 'other_word']);

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

export type PlannedChange = z.infer<typeof plannedChangeSchema>;
export type Deactivation = z.infer<typeof deactivationSchema>;
export type SyncKind = PlannedChange['kind'];

/** The step of each kind of object, in the order of their execution. */
const stepOfKind = {
  patrol_type: 'patrol_types',
  universal_patrol_fields: 'universal_patrol_fields',
  choice: 'choices',
  subject: 'subjects',
  roster: 'roster',
} as const satisfies Record<SyncKind, string>;

export type SyncStep = (typeof stepOfKind)[SyncKind];

/** The kinds of objects, in the order of their steps. */
export const syncKinds = Object.keys(stepOfKind) as SyncKind[];

/** The steps, in the order of their execution. */
export const syncSteps: readonly SyncStep[] = Object.values(stepOfKind);

/** The step that a change belongs to. */
export const stepOf = ({ kind }: Pick<PlannedChange, 'kind'>): SyncStep => stepOfKind[kind];

interface Ordering {
  /** The engine does not keep the position of some names: those that look like numbers, and `__proto__`. */
  hasOddName: boolean;
}

const isOdd = (name: string): boolean => (name >= '0' && name < ':') || name === '__proto__';

/** Whether all members are sorted, and none has an odd name. */
const isOrdered = (value: unknown): boolean => {
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(isOrdered);
  let before = '';
  for (const name in value) {
    if (name < before || isOdd(name) || !isOrdered((value as Record<string, unknown>)[name])) return false;
    before = name;
  }
  return true;
};

/** The value with sorted members, so that one native call can serialize it; sorted parts are not copied. */
const ordered = (value: unknown, ordering: Ordering): unknown => {
  if (value === null || typeof value !== 'object' || isOrdered(value)) return value;
  if (Array.isArray(value)) return value.map((item) => ordered(item, ordering));
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) {
    ordering.hasOddName ||= isOdd(name);
    members[name] = ordered((value as Record<string, unknown>)[name], ordering);
  }
  return members;
};

/** A number kept as text, because a double would lose digits. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean };

const written = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => written(item)).join(',')}]`;
  if (value === null || typeof value !== 'object' || isRawJSON(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${written(member)}`);
  return `{${members.join(',')}}`;
};

/**
 * Serializes a value as canonical JSON (RFC 8785): members sorted by UTF-16 code units, no spaces, numbers as in ECMAScript; undefined members
 * are left out. The package `canonicalize` serializes exact numbers as objects, throws on an unpaired surrogate and takes twice the time.
 */
export const canonicalJson = (value: unknown): string => {
  const ordering: Ordering = { hasOddName: false };
  const inOrder = ordered(value, ordering);
  return ordering.hasOddName ? written(value) : (JSON.stringify(inOrder) ?? 'null');
};

/** The conservation area of a plan or record. */
export const areaSchema = z.object({ uuid: z.string(), id: z.string(), name: z.string() });

/** The bundle of the plan; the hash is that of `manifest.json`. */
export const bundleReferenceSchema = z.object({ path: z.string(), exported_at: z.string(), sha256: z.string() });

/** Settings that decide what is written. */
export const syncOptionsSchema = z.object({
  language: z.string(),
  subject_name_suffix: z.boolean(),
  roster_group: z.string().nullable(),
  replace_segment_schema: z.boolean(),
  modernize_form: z.boolean(),
  /** The word that stands for the external system in identifiers on the site. */
  word: z.string(),
});

/** What a step leaves unchanged, and why it is skipped. */
const stepOutlookSchema = z.object({
  unchanged: z.number().int().min(0),
  /** Number of options of our fields that the bundle does not contain (choices), else 0. */
  others: z.number().int().min(0),
  /** `feature_off`, `no_group`, or the code of the error because of which the step is not planned. */
  skipped: z.string().nullable(),
});

/** The objects that an area uses: a run for another area leaves shared ones in use. */
export const areaNeedsSchema = z.object({
  /** Values of patrol types that are in use. */
  patrol_types: z.array(z.string()),
  /** Values of options that are offered, by field. */
  choices: z.record(z.string(), z.array(z.string())),
  /** Fields of the form that are in use, with their kind. */
  fields: z.record(z.string(), z.string()),
  /** Planned subjects by uuid of their employee; the id is null while the site has none. */
  subjects: z.record(z.string(), z.string().nullable()),
  /** Patrol types and fields that the bundle names although they are not in use; they may be switched off, but stay. */
  unused: z.object({ patrol_types: z.array(z.string()), fields: z.array(z.string()) }),
});

/** All writes of a run, in order. */
export const syncPlanSchema = z.object({
  format: z.literal('patrol-datamodel-plan'),
  format_version: z.literal('1.0'),
  tool: z.string(),
  created_at: z.string(),
  site: z.string(),
  conservation_area: areaSchema,
  bundle: bundleReferenceSchema,
  options: syncOptionsSchema,
  /** Number of logins that never went on a patrol. */
  logins_left_out: z.number().int().min(0),
  steps: z.partialRecord(z.enum(syncSteps), stepOutlookSchema),
  changes: z.array(plannedChangeSchema),
  needs: areaNeedsSchema,
  hash: z.string(),
});

export type AreaNeeds = z.infer<typeof areaNeedsSchema>;
export type SyncOptions = z.infer<typeof syncOptionsSchema>;
export type StepOutlook = z.infer<typeof stepOutlookSchema>;
export type SyncPlan = z.infer<typeof syncPlanSchema>;

/** A change without ids of the site, so that the same work on a copy of the site has the same hash. */
const withoutIds = (change: PlannedChange): object => {
  if (change.kind === 'roster') {
    const { group_id: _, subjects, ...rest } = change;
    return { ...rest, subjects: subjects.map(({ member }) => member) };
  }
  if (!('id' in change)) return change;
  const { id: _, ...rest } = change;
  return rest;
};

/** The text whose SHA-256 is the hash of a plan: all writes with their targets, without times and ids. */
export const planText = ({
  site,
  conservation_area,
  options,
  changes,
}: Pick<SyncPlan, 'site' | 'conservation_area' | 'options' | 'changes'>): string =>
  canonicalJson({ site, conservation_area, options, changes: changes.map(withoutIds) });
