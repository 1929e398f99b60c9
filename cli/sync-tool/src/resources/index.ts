import { type PlannedChange, stepOf, type SyncKind, type SyncStep } from '@ranger-relay/contracts';
import { createPaint } from '@ranger-relay/terminal';
import type { Label } from '../bundle/labels/label.ts';
import type { Bundle } from '../bundle/model.ts';
import type { FormField, NewSection } from '../form/model.ts';
import { choice, type DesiredChoice, desiredChoices } from './choice.ts';
import { desiredPeople, type DesiredPeople } from './employees.ts';
import { desiredFields, form, newSectionOf } from './form.ts';
import { type DesiredType, desiredTypes, patrolType } from './patrol-type.ts';
import type { Resource } from './resource.ts';
import { roster } from './roster.ts';
import { subject } from './subject.ts';

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

export { choiceFieldsLeft, type FormEntryToUndo } from './form-undo.ts';
export * from './resource.ts';
