import type { FormDocument } from '@ranger-relay/site';

const about = (title: string) => ({ title, deprecated: false });
const parent = 'section-details';
const item = (name: string) => ({ name, type: 'field' });

/** A form in the format of 2025: of each difference from today one. */
export const formOf2025 = (): FormDocument => ({
  json: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    additionalProperties: false,
    type: 'object',
    required: ['leader'],
    properties: {
      leader: { ...about('Leader'), type: 'string', default: '' },
      activity: {
        ...about('Activity'),
        type: 'string',
        anyOf: [{ oneOf: [{ const: 'routine', title: 'Routine' }] }],
      },
      gear: {
        ...about('Gear'),
        type: 'array',
        unevaluatedItems: false,
        items: {
          additionalProperties: false,
          type: 'object',
          required: ['item_name'],
          properties: { item_name: { ...about('Item'), type: 'string' } },
        },
      },
    },
  },
  ui: {
    fields: {
      leader: { type: 'TEXT', inputType: 'SHORT_TEXT', parent, placeholder: 'x'.repeat(33) },
      activity: {
        type: 'CHOICE_LIST',
        inputType: 'DROPDOWN',
        parent,
        choices: { type: 'EXISTING_CHOICE_LIST', existingChoiceList: ['patrol_activity'], subjectGroups: [] },
      },
      gear: {
        type: 'COLLECTION',
        parent,
        buttonText: 'Add',
        itemIdentifier: 'item_name',
        columns: 1,
        itemName: 'Item',
        leftColumn: ['item_name'],
        rightColumn: [],
      },
      item_name: { type: 'TEXT', inputType: 'SHORT_TEXT', parent: 'gear' },
    },
    headers: {},
    order: [parent],
    sections: {
      [parent]: {
        label: 'Details',
        columns: 1,
        isActive: true,
        leftColumn: ['leader', 'activity', 'gear'].map((name) => item(name)),
        rightColumn: [],
      },
    },
  },
});
