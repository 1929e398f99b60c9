import type { Attribute, AttributeType, Bundle, Transport } from '../bundle/model.ts';
import { attributeChoiceField, attributeProperty, patrolTypeValue } from '../bundle/values.ts';
import type { FormField } from '../form/model.ts';
import { coreFields, type DesiredChoice, desiredChoices } from './choices.ts';
import { type Label, labelLimits } from '../bundle/labels/label.ts';
import { desiredPeople, type DesiredPeople } from './subjects.ts';

/** A desired patrol type. */
export interface DesiredType {
  readonly value: string;
  readonly display: string;
  readonly isActive: boolean;
  /** A hint for choosing an icon. */
  readonly transport: Pick<Transport, 'iconKey' | 'classKey' | 'requiresPilot'>;
}

/** One patrol type per transport, except for a transport without a key. */
export const desiredTypes = (transports: readonly Transport[], label: Label): DesiredType[] =>
  transports.flatMap(({ key, names, isActive, ...transport }) =>
    key ? [{ value: patrolTypeValue(key), display: label(names, key, labelLimits.type), isActive, transport }] : [],
  );

const core = (property: string, title: string, kind: FormField['kind'], choiceField?: string): FormField => ({
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
  LIST: 'choice',
  TREE: 'choice',
};

const attributeField = ({ key, type, names, isActive }: Attribute, label: Label): FormField[] => {
  if (!key || type === null) return [];
  const field = {
    property: attributeProperty(key),
    title: label(names, key, labelLimits.title),
    kind: kinds[type],
    deprecated: !isActive,
    core: false,
  };
  return [field.kind === 'choice' ? { ...field, choiceField: attributeChoiceField(key) } : field];
};

/** The universal patrol fields: six of our own, then one per custom attribute (site contract, 5.2). */
export const desiredFields = (attributes: readonly Attribute[], label: Label): readonly FormField[] => [
  ...coreFormFields,
  ...attributes.flatMap((attribute) => attributeField(attribute, label)),
];

/** The desired state for the patrols of a bundle, computed without reading the site. */
export interface Desired {
  readonly types: readonly DesiredType[];
  readonly fields: readonly FormField[];
  readonly choices: ReadonlyMap<string, readonly DesiredChoice[]>;
  readonly people: DesiredPeople;
}

/** Computes the desired state. */
export const desiredOf = (bundle: Bundle, label: Label, nameSuffix: boolean): Desired => ({
  types: desiredTypes(bundle.transports, label),
  fields: desiredFields(bundle.attributes, label),
  choices: desiredChoices(bundle, label),
  people: desiredPeople(
    {
      employees: bundle.employees,
      usage: bundle.usage,
      area: bundle.manifest.area,
      referenceDate: bundle.manifest.exportedAt.slice(0, 10),
      nameSuffix,
    },
    label,
  ),
});
