import type { Attribute, AttributeType } from '../bundle/model.ts';
import { attributeChoiceField, attributeProperty } from '../bundle/values.ts';
import type { FormField } from '../form/index.ts';
import { coreFields } from './choices.ts';
import { labelLimits, type Label } from './labels.ts';

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
