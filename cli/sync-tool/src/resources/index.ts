import { type PlannedChange, stepOf, type SyncKind, type SyncOptions, type SyncStep } from '@ranger-relay/contracts';
import { createPaint } from '@ranger-relay/terminal';
import type { Label } from '../bundle/labels/label.ts';
import type { Area, Bundle } from '../bundle/model.ts';
import type { FormField, NewSection } from '../form/model.ts';
import type { SubjectsBeside } from '../plan/subjects.ts';
import { choice, type DesiredChoice, desiredChoices } from './choice.ts';
import { desiredPeople, type DesiredPeople } from './employees.ts';
import type { SiteOptions } from '../form/modernize.ts';
import { approvedFormCourse, desiredFields, form, freeFormCourse, newSectionOf } from './form.ts';
import { type DesiredType, desiredTypes, patrolType } from './patrol-type.ts';
import type { Course, Resource } from './resource.ts';
import { roster } from './roster.ts';
import { approvedSubjectCourse, freeSubjectCourse, subject } from './subject.ts';

const resources: { readonly [K in SyncKind]: Resource<K> } = {
  patrol_type: patrolType,
  universal_patrol_fields: form,
  choice,
  subject,
  roster,
};

/** Returns the resource of a planned change or of a record entry. */
export const resourceOf = <K extends SyncKind>({ kind }: { readonly kind: K }): Resource<K> => resources[kind];

const plain = createPaint(false);

/** The object of a change, as the plan prints it without the sign in front. */
export const objectOf = (change: PlannedChange): string =>
  (resourceOf(change).describe(change, plain)[0] ?? '').slice(2);

const byStep = (member: 'stepName' | 'permissions'): Readonly<Record<SyncStep, string>> =>
  Object.fromEntries(
    Object.entries(resources).map(([kind, resource]) => [stepOf({ kind: kind as SyncKind }), resource[member]]),
  ) as Record<SyncStep, string>;

/** Display names of the steps. */
export const stepNames = byStep('stepName');

/** The permissions that the token needs for each step. */
export const permissionsOf = byStep('permissions');

/** The desired state for the patrols of a bundle, computed without reading the site. */
export interface Desired {
  readonly types: readonly DesiredType[];
  readonly fields: readonly FormField[];
  /** The section of our fields in a new form. */
  readonly newSection: NewSection | undefined;
  readonly choices: ReadonlyMap<string, readonly DesiredChoice[]>;
  readonly people: DesiredPeople;
}

/** Computes the desired state. */
export const desiredOf = (bundle: Bundle, label: Label, nameSuffix: boolean): Desired => ({
  types: desiredTypes(bundle, label),
  fields: desiredFields(bundle.attributes, label, bundle.manifest.format),
  newSection: newSectionOf(bundle.manifest.format),
  choices: desiredChoices(bundle, label),
  people: desiredPeople(
    {
      employees: bundle.employees,
      usage: bundle.usage,
      area: bundle.manifest.area,
      nameSuffix,
    },
    label,
  ),
});

/** The input of a run that does not need an approved plan. */
interface FreeCourse {
  readonly desired: Desired;
  readonly area: Area;
  readonly options: SyncOptions;
  /** Options that the site had when the run was planned. */
  readonly siteOptions: SiteOptions;
  readonly beside: SubjectsBeside;
  readonly maxDeactivations: number;
}

/** A course that brings the site to the state that the bundle describes, whatever the state of the site is by then. */
export const freeCourse = (parts: FreeCourse): Course => {
  const { desired, area, options, siteOptions, beside, maxDeactivations } = parts;
  return {
    approved: false,
    ...freeFormCourse(desired.fields, {
      replace: options.replace_segment_schema,
      modernize: options.modernize_form,
      options: siteOptions,
      others: beside.others,
      newSection: desired.newSection,
    }),
    ...freeSubjectCourse(desired.people, area, beside, maxDeactivations),
  };
};

/** A course that writes the remaining changes of an approved plan, and nothing else. */
export const approvedCourse = (beside: SubjectsBeside): Course => ({
  approved: true,
  ...approvedFormCourse,
  ...approvedSubjectCourse(beside),
});

export { choiceFieldsLeft, type FormEntryToUndo } from './form-undo.ts';
export * from './resource.ts';
