import { conditional } from '../../form/test/conditional.ts';

interface Item {
  readonly name: string;
  readonly type: string;
}

interface Section {
  readonly label: string;
  readonly columns: number;
  readonly isActive: boolean;
  leftColumn: Item[];
  rightColumn: Item[];
}

type Members = Record<string, unknown>;

/** A form as tests look into it. */
export interface FormOptions {
  readonly json: {
    readonly properties: Record<string, Members>;
    readonly required: readonly string[];
    readonly allOf: readonly unknown[];
  } & Members;
  readonly ui: {
    readonly fields: Record<string, Members>;
    readonly headers: Members;
    readonly order: readonly string[];
    readonly sections: Record<string, Section>;
  };
}

const section = (label: string, ...leftColumn: Item[]): Section => ({
  label,
  columns: 2,
  isActive: true,
  leftColumn,
  rightColumn: [],
});

/** A form that an admin made: a required field, a header, and a section that shows under a condition. */
export const adminDocument = (): FormOptions => ({
  json: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { admin_text: { type: 'string', title: 'Text of an admin', description: '', deprecated: false } },
    required: ['admin_text'],
    unevaluatedProperties: false,
    allOf: [
      conditional(
        { properties: { admin_more: { type: 'boolean', title: 'More', deprecated: false } } },
        {
          'x-section': 'section-more',
          if: { properties: { admin_text: { const: 'more' } }, required: ['admin_text'] },
        },
      ),
    ],
  },
  ui: {
    fields: {
      admin_text: { type: 'TEXT', inputType: 'SHORT_TEXT', parent: 'section-admin' },
      admin_more: { type: 'BOOLEAN', parent: 'section-more' },
    },
    headers: { 'header-1': { label: 'Of an admin', section: 'section-admin', size: 'LARGE' } },
    order: ['section-admin', 'section-more'],
    sections: {
      'section-admin': section('Admin', { name: 'header-1', type: 'header' }, { name: 'admin_text', type: 'field' }),
      'section-more': section('More', { name: 'admin_more', type: 'field' }),
    },
  },
});
