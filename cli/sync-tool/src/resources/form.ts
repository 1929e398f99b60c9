import type { AreaNeeds } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { FormDocument } from '@ranger-relay/site';
import { printable } from '@ranger-relay/terminal';
import { type Label, labelLimits } from '../bundle/labels/label.ts';
import { type Attribute, type AttributeType, type BundleFormat, hasOptions } from '../bundle/model.ts';
import { equalForms, kindsIn, type MergedForm, mergeForm, propertiesOf } from '../form/merge.ts';
import { jsonKindOf } from '../form/draft.ts';
import type { SiteOptions } from '../form/modernize.ts';
import {
  type coreProperties,
  type FormChange,
  type FormField,
  jsonHalvesOf,
  member,
  type NewSection,
} from '../form/model.ts';
import type { OtherArea } from '../run/known-records.ts';
import {
  type Applied,
  type ApplyContext,
  areaThat,
  type ChangeOf,
  firstNames,
  namesField,
  planOutdated,
  type Resource,
  type StepPlan,
} from './resource.ts';
import { coreFields } from './choice.ts';
import { undoForm } from './form-undo.ts';
import { happened, notHappened, type Replaced } from './object.ts';

const core = (
  property: (typeof coreProperties)[number],
  title: string,
  kind: FormField['kind'],
  choiceField?: string,
): FormField => ({
  property,
  title,
  kind,
  deprecated: false,
  core: true,
  ...(choiceField === undefined ? {} : { choiceField }),
});

const coreFormFields: readonly FormField[] = [
  core('objective', 'Objective', 'text-long'),
  core('mandate', 'Mandate', 'choice', coreFields.mandate),
  core('station', 'Station', 'choice', coreFields.station),
  core('patrol_class', 'Patrol class', 'choice', coreFields.patrolClass),
  core('armed', 'Armed', 'boolean'),
  core('comment', 'Comment', 'text-long'),
];

const kinds: Readonly<Record<AttributeType, FormField['kind']>> = {
  NUMERIC: 'number',
  TEXT: 'text-short',
  BOOLEAN: 'boolean',
  DATE: 'date',
  TIME: 'time',
  DATETIME: 'date-time',
  ATTACHMENT: 'attachment',
  LIST: 'choice',
  TREE: 'choice',
  MLIST: 'choices',
};

const attributeField = (attribute: Attribute, label: Label): FormField[] => {
  const { key, type, property, choiceField, names, isActive } = attribute;
  if (key === null || property === null || type === null) return [];
  const field = {
    property,
    title: label(names, key, labelLimits.title),
    kind: kinds[type],
    deprecated: !isActive,
    core: false,
    ...(attribute.hasField ? {} : { retired: true as const }),
  };
  return [choiceField !== null && hasOptions(attribute) ? { ...field, choiceField } : field];
};

/** The section of our fields in a new form, as the importer makes it (contract of the exported bundle, 9). */
const importerSection: NewSection = { id: 'section-1', label: 'Patrol details' };

/** The section of our fields in a new form; undefined for that of our own format. */
export const newSectionOf = (format: BundleFormat): NewSection | undefined =>
  format === 'exported' ? importerSection : undefined;

/** The importer asks for the objective in one line. */
const coreFieldsOf = (format: BundleFormat): readonly FormField[] =>
  coreFormFields.map((field) =>
    format === 'exported' && field.property === 'objective' ? core('objective', 'Objective', 'text-short') : field,
  );

/** The universal patrol fields: six of our own, then one per custom attribute (site contract, 5.2). */
export const desiredFields = (
  attributes: readonly Attribute[],
  label: Label,
  format: BundleFormat = 'own',
): readonly FormField[] => [
  ...coreFieldsOf(format),
  ...attributes.flatMap((attribute) => attributeField(attribute, label)),
];

/** The fields in use with their kinds, as the needs of the area list them. */
export const neededFields = (fields: readonly FormField[]): AreaNeeds['fields'] =>
  Object.fromEntries(
    fields.flatMap((field) => (field.deprecated ? [] : [[field.property, jsonKindOf(field)] as const])),
  );

/**
 * Keeps the kinds of fields that other areas use, and keeps those fields in use.
 * @param kept receives a sentence for each exception
 */
export const fieldsBeside = (
  fields: readonly FormField[],
  form: FormDocument | null,
  others: readonly OtherArea[],
  kept: string[],
): FormField[] => {
  const stored = kindsIn(form);
  return fields.flatMap((field): FormField[] => {
    const { property } = field;
    const other = others.find(({ needs }) => Object.hasOwn(needs.fields, property));
    if (!other || !Object.hasOwn(stored, property)) return [field];
    if (other.needs.fields[property] !== jsonKindOf(field) && stored[property] === other.needs.fields[property]) {
      kept.push(`The field ${property} stays a ${stored[property]}: area ${other.title} uses it as such`);
      return [];
    }
    if (!field.deprecated) return [field];
    kept.push(`The field ${property} stays in use: area ${other.title} uses it`);
    return field.retired ? [] : [{ ...field, deprecated: false }];
  });
};

type FormWrite = ChangeOf<'universal_patrol_fields'>;

/** Describes one change of the form. */
const describeChange = (change: FormChange): string => {
  switch (change.change) {
    case 'field-added':
      return `+ ${change.property} "${change.title}"${change.deprecated ? ' (not in use)' : ''}`;
    case 'half-added':
      return `~ ${change.property}: its ${change.half} half was missing`;
    case 'kind-fixed':
      return `~ ${change.property}: kind ${change.from} → ${change.to}`;
    case 'options-fixed':
      return `~ ${change.property}: options from ${change.from} → ${change.to}`;
    case 'title-changed':
      return `~ ${change.property}: title "${change.from}" → "${change.to}"`;
    case 'deprecated-changed':
      return `~ ${change.property}: ${change.to ? 'no longer in use' : 'in use again'}`;
    case 'section-added':
      return `+ section ${change.section}`;
    case 'section-shown':
      return `~ section ${change.section} is shown`;
    case 'replaced':
      return `everything else gives way${change.dropped.length > 0 ? `; taken out: ${change.dropped.join(', ')}` : ''}`;
  }
};

/** Plans the form step. If the merge would introduce faults, the run must not send anything. */
export interface FormPlan extends StepPlan {
  /** Faults that the stored form had before, and the fields that a replaced form loses; a sentence each. */
  readonly warnings: readonly string[];
  /** Why nothing of the form may be sent. */
  readonly failure?: RelayError | undefined;
}

const failureOf = ({ outdated, faultsBrought: [fault] }: MergedForm): RelayError | undefined => {
  if (outdated.length > 0)
    return new RelayError('form_outdated', { details: { changes: firstNames(outdated, outdated.length, '; ') } });
  return fault && new RelayError('form_invalid', { details: { reason: fault.text, path: fault.path } });
};

/** Whether the form is replaced or brought into the format of today, and the areas whose fields it keeps. */
interface FormScope {
  readonly replace: boolean;
  readonly modernize: boolean;
  readonly options: SiteOptions;
  readonly others: readonly OtherArea[];
  readonly newSection: NewSection | undefined;
}

const fieldsOf = (others: readonly OtherArea[]): ReadonlySet<string> =>
  new Set(others.flatMap(({ needs: { fields, unused } }) => [...Object.keys(fields), ...unused.fields]));

/** Names the fields that a replaced form keeps. */
const notesOnKept = (document: FormDocument, fields: readonly FormField[], { others }: FormScope): string[] => {
  const ours = new Set(fields.map(({ property }) => property));
  return propertiesOf(document).flatMap((name) => {
    const area = ours.has(name) ? undefined : areaThat(others, (needs) => namesField(needs, name));
    return area === undefined ? [] : [`The field ${name} stays in the form that is replaced: area ${area} uses it`];
  });
};

/** Names the fields that become another kind, or take other options: an admin may have made them. */
const notesOnRebuilt = (changes: readonly FormChange[]): string[] =>
  changes.flatMap((change) => {
    if (change.change !== 'kind-fixed' && change.change !== 'options-fixed') return [];
    const { property, from, to } = change;
    // The site itself puts the options in place of their reference.
    if (from === 'nothing' || from === 'a list of options') return [];
    return [`The field ${property} of the site's form is rebuilt: it was of ${from}, the import needs ${to}`];
  });

/** Merges the fields of the bundle into the stored form, or replaces the form. */
export const planForm = (stored: FormDocument | null, fields: readonly FormField[], scope: FormScope): FormPlan => {
  const { replace, modernize, options, others, newSection } = scope;
  const merged = mergeForm(stored, fields, { replace, modernize, options, newSection, keep: fieldsOf(others) });
  const { document, changed, changes, repaired, faultsBefore } = merged;
  const notes = [...(replace ? notesOnKept(document, fields, scope) : []), ...notesOnRebuilt(changes)];
  const warnings = [
    ...faultsBefore.map(({ path, text }) => `The site's form had a fault before: ${text} at ${path}`),
    ...changes.flatMap((change) =>
      change.change === 'replaced' && change.dropped.length > 0
        ? [`The run replaces the site's form and takes out of it: ${change.dropped.join(', ')}`]
        : [],
    ),
  ];
  const outlook = { notes, others: 0, skipped: null, warnings, failure: failureOf(merged) };
  if (!changed) return { changes: [], unchanged: 1, ...outlook };
  const write: FormWrite = {
    kind: 'universal_patrol_fields',
    action: 'written',
    before: stored && { ...stored },
    written: { ...document },
    notes: [...changes.map((change) => describeChange(change)), ...repaired.map((repair) => `~ ${repair}`)],
    ...(repaired.length > 0 ? { repaired: [...repaired] } : {}),
  };
  return { changes: [write], unchanged: 0, ...outlook };
};

/** The document that a change or an entry writes. */
const documentOf = ({ written }: Pick<FormWrite, 'written'>): FormDocument => written as unknown as FormDocument;

const put = async (
  { site, writes, keepBefore }: ApplyContext,
  change: FormWrite,
  stored: FormDocument | null,
  readAt: number,
): Promise<void> => {
  const { kind, action, written, repaired } = change;
  const before_file = stored === null ? null : await keepBefore(stored);
  await writes.write({ kind, action, before_file, written, ...(repaired ? { repaired } : {}) }, async () => {
    await site.writeForm(documentOf(change), stored, readAt);
    return null;
  });
};

/** Maximum attempts to write a form that another writer keeps changing. */
const maxAttempts = 4;

/** Writes the planned form over the one that the plan saw, and over no other. @throws RelayError `plan_outdated` */
const writeForm = async (context: ApplyContext, change: FormWrite): Promise<Applied> => {
  for (let attempt = 1; ; attempt += 1) {
    const readAt = context.clock.monotonic();
    const stored = await context.site.form();
    if (equalForms(stored, documentOf(change))) return 'already';
    if (!equalForms(stored, change.before as FormDocument | null)) throw planOutdated([form.name(change)]);
    try {
      await put(context, change, stored, readAt);
      return 'done';
    } catch (error) {
      if (attempt === maxAttempts || !isRelayError(error, 'site_changed')) throw error;
    }
  }
};

/** Checks that the site has the fields of the planned form: it keeps no versions, so a writer of an older form may leave ours out. */
const checkForm = async ({ site }: ApplyContext, change: FormWrite): Promise<void> => {
  const there = new Set(propertiesOf(await site.form()));
  if (!propertiesOf(documentOf(change)).every((name) => there.has(name))) throw planOutdated([form.name(change)]);
};

/** Whether the stored document is hidden, because the feature is off. */
const isHidden = async (site: ApplyContext['site'], stored: FormDocument | null): Promise<boolean> =>
  stored === null && !(await site.patrolSchemas());

/** The titles of the fields, and whether they are in use: what a run keeps as the bundle says. */
const valuesIn = (written: FormDocument, before: FormDocument | null): Replaced[] =>
  propertiesOf(written).flatMap((property) => {
    const [now, then] = [written, before].map((form) => jsonHalvesOf(form?.json, property)[0]);
    const names = then === undefined && before ? ['title'] : ['title', 'deprecated'];
    return names.map((name) => ({
      name: `${name} of ${property}`,
      key: null,
      before: member(then, name),
      written: member(now, name),
    }));
  });

/** The universal patrol fields, stored as one document (site contract, 5). */
export const form: Resource<'universal_patrol_fields'> = {
  stepName: 'Patrol fields',
  permissions: 'activity.change_segmenttype, which in practice only a superuser has',
  counter: ({ before }) => (before === null ? 'created' : 'updated'),
  name: () => 'universal patrol fields',
  key: ({ kind }) => kind,
  describe: (change, paint) => [
    `${change.before === null ? paint.green('+') : paint.yellow('~')} universal patrol fields`,
    ...change.notes.map((note) => `    ${printable(note)}`),
  ],
  async compare(change, { form: stored }) {
    if (stored === undefined) return 'outdated';
    if (equalForms(stored, documentOf(change))) return [];
    return equalForms(stored, change.before as FormDocument | null) ? [change] : 'outdated';
  },
  /** Writes the form right after reading it, then reads it back. @throws RelayError `plan_outdated` */
  async apply(context, change) {
    const applied = await writeForm(context, change);
    await checkForm(context, change);
    return applied;
  },
  recheck: checkForm,
  async reconcile(site, { before_file }, readBefore) {
    const before = before_file === null ? null : await readBefore(before_file);
    const stored = await site.form();
    if (await isHidden(site, stored)) return undefined;
    return equalForms(stored, before) ? notHappened : happened(null);
  },
  undo: undoForm,
  values: (change) => valuesIn(documentOf(change), 'before' in change ? (change.before as FormDocument | null) : null),
  // Always false: the undo itself checks each field that it would remove.
  isNeeded: () => false,
};
