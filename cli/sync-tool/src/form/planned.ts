import type { FormDocument } from '@ranger-relay/site';
import { type FormField, type FormKind, type Members, type NewSection, optionsOf, ourSection } from './model.ts';

/** An empty form that the site accepts (site contract, 5.1). */
export const emptyEnvelope = (): FormDocument => ({
  json: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {},
    required: [],
    unevaluatedProperties: false,
  },
  ui: { fields: {}, headers: {}, order: [], sections: {} },
});

const oneOf = ({ property, choiceField = property }: FormField): Members => ({
  type: 'string',
  anyOf: [{ $ref: optionsOf(choiceField) }],
});

const types: Record<FormKind, (field: FormField) => Members> = {
  'text-long': () => ({ type: 'string' }),
  'text-short': () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  date: () => ({ type: 'string', format: 'date' }),
  time: () => ({ type: 'string', format: 'time' }),
  'date-time': () => ({ type: 'string', format: 'date-time' }),
  attachment: () => ({ type: 'string', format: 'uri' }),
  choice: (field) => oneOf(field),
  choices: (field) => ({ type: 'array', uniqueItems: true, items: oneOf(field) }),
};

const inputs: Record<FormKind, Members> = {
  'text-long': { type: 'TEXT', inputType: 'LONG_TEXT' },
  'text-short': { type: 'TEXT', inputType: 'SHORT_TEXT' },
  number: { type: 'NUMERIC' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'DATE_TIME' },
  time: { type: 'DATE_TIME' },
  'date-time': { type: 'DATE_TIME' },
  attachment: { type: 'ATTACHMENT', allowableFileTypes: ['audio', 'document', 'image', 'video'] },
  choice: { type: 'CHOICE_LIST', inputType: 'DROPDOWN' },
  choices: { type: 'CHOICE_LIST', inputType: 'DROPDOWN' },
};

/** The JSON half of one of our fields. */
export const plannedJson = (field: FormField): Members => ({
  ...types[field.kind](field),
  title: field.title,
  description: '',
  deprecated: field.deprecated,
});

/** The UI half of one of our fields in a section. */
export const plannedUi = ({ kind }: FormField, parent: string): Members => ({ ...inputs[kind], parent });

/** The entry of a field in a section. */
export const itemOf = (name: string): Members => ({ name, type: 'field' });

/** A section with these items. */
export const sectionWith = (items: readonly Members[], label: string): Members => ({
  label,
  columns: 1,
  isActive: true,
  leftColumn: items,
  rightColumn: [],
});

/** A form with only our fields, in their order, in one section (site contract, 5.2). */
export const plannedForm = (
  fields: readonly FormField[],
  { id: section, label }: NewSection = ourSection,
): FormDocument => {
  const { json, ui } = emptyEnvelope();
  const items = fields.map(({ property }) => itemOf(property));
  return {
    json: { ...json, properties: Object.fromEntries(fields.map((field) => [field.property, plannedJson(field)])) },
    ui: {
      ...ui,
      fields: Object.fromEntries(fields.map((field) => [field.property, plannedUi(field, section)])),
      order: [section],
      sections: { [section]: sectionWith(items, label) },
    },
  };
};
