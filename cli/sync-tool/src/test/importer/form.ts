import type { Attribute, ImportBundle } from './bundle.ts';
import { choiceField, display, fieldName } from './names.ts';

type Members = Record<string, unknown>;

/** A document of the form. */
export interface Form {
  readonly json: Members & { properties: Record<string, Members> };
  readonly ui: Members & {
    fields: Record<string, Members>;
    order: string[];
    sections: Record<string, { leftColumn: Members[]; rightColumn: Members[] } & Members>;
  };
}

const section = 'section-1';
const one = (field: string): Members => ({
  type: 'string',
  anyOf: [{ $ref: `/api/v2.0/schemas/choices.json?field=${field}` }],
});
const chosen: Members = { type: 'CHOICE_LIST', inputType: 'DROPDOWN', placeholder: '' };

/** The two halves of a field of an attribute, by its type; any other is a short text. */
const attributeHalves = (attribute: Attribute): readonly [json: Members, ui: Members] => {
  const kinds: Readonly<Record<string, readonly [json: Members, ui: Members]>> = {
    LIST: [one(choiceField(attribute)), chosen],
    TREE: [one(choiceField(attribute)), chosen],
    MLIST: [{ type: 'array', uniqueItems: true, items: one(choiceField(attribute)) }, chosen],
    NUMERIC: [{ type: 'number' }, { type: 'NUMERIC' }],
    BOOLEAN: [{ type: 'boolean' }, { type: 'BOOLEAN' }],
    DATE: [{ type: 'string', format: 'date' }, { type: 'DATE_TIME' }],
    TIME: [{ type: 'string', format: 'time' }, { type: 'DATE_TIME' }],
    DATETIME: [{ type: 'string', format: 'date-time' }, { type: 'DATE_TIME' }],
    ATTACHMENT: [
      { type: 'string', format: 'uri' },
      { type: 'ATTACHMENT', allowableFileTypes: ['audio', 'document', 'image', 'video'] },
    ],
  };
  return kinds[attribute.type.trim()] ?? [{ type: 'string' }, { type: 'TEXT', inputType: 'SHORT_TEXT' }];
};

type Field = readonly [name: string, title: string, halves: readonly [json: Members, ui: Members]];

const coreFields: readonly Field[] = [
  ['objective', 'Objective', [{ type: 'string' }, { type: 'TEXT', inputType: 'SHORT_TEXT' }]],
  ['mandate', 'Mandate', [one('patrol_mandate'), chosen]],
  ['station', 'Station', [one('patrol_station'), chosen]],
  ['patrol_class', 'Patrol class', [one('patrol_class'), chosen]],
  ['armed', 'Armed', [{ type: 'boolean' }, { type: 'BOOLEAN' }]],
  ['comment', 'Comment', [{ type: 'string' }, { type: 'TEXT', inputType: 'LONG_TEXT' }]],
];

const empty = (): Form => ({
  json: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {},
    required: [],
    unevaluatedProperties: false,
  },
  ui: { fields: {}, headers: {}, order: [], sections: {} },
});

/** The form that the importer leaves: what it finds, with the fields of the bundle added and the others of its word retired. */
export const importedForm = (found: Form | null, bundle: ImportBundle, word: string, language: string): Form => {
  const form = structuredClone(found ?? empty());
  const { properties } = form.json;
  const wanted: readonly Field[] = [
    ...coreFields,
    ...bundle.reference.patrol_attributes
      .filter(({ active }) => active)
      .map((attribute): Field => {
        const title = display(attribute, bundle, language, attribute.key);
        return [fieldName(word, attribute), title, attributeHalves(attribute)];
      }),
  ];
  const names = new Set(wanted.map(([name]) => name));
  const isNew = form.ui.sections[section] === undefined;
  const own = (form.ui.sections[section] ??= {
    label: 'Patrol details',
    columns: 1,
    isActive: true,
    leftColumn: [],
    rightColumn: [],
  });
  if (isNew) form.ui.order.unshift(section);
  for (const [name, title, [json, ui]] of wanted) {
    const there = properties[name];
    const isCore = coreFields.some(([core]) => core === name);
    if (there === undefined) {
      properties[name] = { ...json, title, description: '', deprecated: false };
      form.ui.fields[name] = { ...ui, parent: section };
      own.leftColumn.push({ name, type: 'field' });
    } else if (!isCore) properties[name] = { ...there, ...json, title, deprecated: false };
  }
  for (const [name, property] of Object.entries(properties)) {
    property['deprecated'] ??= false;
    if (!name.startsWith(`${word}_`) || names.has(name)) continue;
    property['deprecated'] = true;
    for (const each of Object.values(form.ui.sections)) {
      each.leftColumn = each.leftColumn.filter((item) => item['name'] !== name);
      each.rightColumn = each.rightColumn.filter((item) => item['name'] !== name);
    }
  }
  return form;
};
