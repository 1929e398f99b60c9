import { fc } from '@fast-check/ava';
import type { FormDocument } from '@ranger-relay/site';
import type { Members } from '../model.ts';
import { emptyEnvelope, plannedForm } from '../planned.ts';
import { conditional } from './conditional.ts';
import { ourFields } from './fields.ts';

const R = '/api/v2.0/schemas/choices.json?field=admin_list';
const base = fc.record(
  { title: fc.string({ maxLength: 20 }), deprecated: fc.boolean(), description: fc.string({ maxLength: 5 }) },
  { requiredKeys: ['title', 'deprecated'] },
);

const coordinate = { type: 'number', title: '', deprecated: false };

/** Both halves of a field as an admin may have made it, of each kind. */
const kinds: readonly (readonly [json: Members, ui: Members])[] = [
  [
    { type: 'string', pattern: '^a' },
    { type: 'TEXT', inputType: 'SHORT_TEXT', placeholder: 'x' },
  ],
  [{ type: 'number', minimum: 1 }, { type: 'NUMERIC' }],
  [
    { type: 'boolean', default: true },
    { type: 'BOOLEAN', conditionalDependents: ['a'] },
  ],
  [{ type: 'string', format: 'time' }, { type: 'DATE_TIME' }],
  [
    { type: 'string', anyOf: [{ $ref: R }] },
    { type: 'CHOICE_LIST', inputType: 'LIST' },
  ],
  [
    { type: 'string', enum: ['a'], 'x-enumExtra': {} },
    { type: 'CHOICE_LIST', inputType: 'LIST' },
  ],
  [
    { type: 'array', uniqueItems: true, items: { type: 'string', anyOf: [{ $ref: R }] } },
    { type: 'CHOICE_LIST', inputType: 'DROPDOWN' },
  ],
  [{ type: 'object', properties: { latitude: coordinate, longitude: coordinate } }, { type: 'LOCATION' }],
  [
    { type: 'string', format: 'uri' },
    { type: 'ATTACHMENT', allowableFileTypes: ['image'] },
  ],
  [
    {
      type: 'array',
      unevaluatedItems: false,
      items: { type: 'object', properties: { child: { type: 'string', title: '', deprecated: false } } },
    },
    { type: 'COLLECTION', columns: 1, itemName: 'item', leftColumn: ['child'], rightColumn: [] },
  ],
];

const side = fc.constantFrom('leftColumn', 'rightColumn');
const field = fc.record({ base, kind: fc.constantFrom(...kinds), section: fc.nat({ max: 2 }), side });

interface Parts {
  readonly properties: Members;
  readonly fields: Members;
  readonly sections: Record<string, Members & { leftColumn: Members[]; rightColumn: Members[] }>;
}

const sectionsOf = (count: number): Parts['sections'] =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `section-${i}`,
      { label: `S${i}`, columns: 2, isActive: i % 2 === 0, leftColumn: [], rightColumn: [] },
    ]),
  );

/** A valid form of an admin's own fields in three sections, the last of them conditional, with a header. */
export const adminForm: fc.Arbitrary<FormDocument> = fc.array(field, { maxLength: 6 }).map((made) => {
  const parts: Parts = { properties: {}, fields: {}, sections: sectionsOf(3) };
  const then: Members = { admin_then: { type: 'boolean', title: 'Then', deprecated: false } };
  made.forEach(({ base: about, kind: [json, ui], section, side: column }, i) => {
    const name = `admin_${i}`;
    (section === 2 ? then : parts.properties)[name] = { ...json, ...about };
    parts.fields[name] = { ...ui, parent: `section-${section}` };
    if (ui['type'] === 'COLLECTION')
      parts.fields[`${name}.child`] = { type: 'TEXT', inputType: 'SHORT_TEXT', parent: name };
    parts.sections[`section-${section}`]?.[column].push({ name, type: 'field' });
  });
  parts.fields['admin_then'] = { type: 'BOOLEAN', parent: 'section-2' };
  parts.sections['section-0']?.leftColumn.unshift({ name: 'header-1', type: 'header' });
  const { json, ui } = emptyEnvelope();
  const condition = { properties: { admin_0: { const: true } } };
  return {
    json: {
      ...json,
      properties: parts.properties,
      required: Object.keys(parts.properties).slice(0, 1),
      allOf: [conditional({ properties: then }, { if: condition, 'x-section': 'section-2' })],
    },
    ui: {
      ...ui,
      fields: parts.fields,
      sections: parts.sections,
      headers: { 'header-1': { label: 'H', section: 'section-0', size: 'LARGE' } },
      order: ['section-1', 'section-0', 'section-2'],
    },
  };
});

const ours = fc.subarray([...ourFields]);
const damage = fc.record({
  title: fc.option(fc.string({ maxLength: 5 })),
  json: fc.constantFrom('keep', 'drop', 'integer', 'resolved', 'kept'),
  ui: fc.constantFrom('keep', 'drop', 'wrong', 'kept'),
  move: fc.option(fc.nat({ max: 2 })),
});

type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

const damaged = (name: string, { json, ui }: FormDocument, { title, json: half, ui: other, move }: Damage): void => {
  const properties = json['properties'] as Members;
  const fields = ui['fields'] as Members;
  const sections = ui['sections'] as Parts['sections'];
  const property = properties[name] as Members;
  if (title !== null) property['title'] = title;
  if (half === 'integer') properties[name] = { title: 'T', deprecated: false, type: 'integer', minimum: 1 };
  if (half === 'resolved')
    properties[name] = { title: 'T', deprecated: false, type: 'string', enum: [], 'x-enumExtra': 1 };
  if (other === 'wrong') fields[name] = { type: 'LOCATION', parent: 'section-ext' };
  if (move !== null) {
    const home = sections['section-ext'] as { leftColumn: Members[] };
    home.leftColumn = home.leftColumn.filter((item) => item['name'] !== name);
    sections[`section-${move}`]?.rightColumn.push({ name, type: 'field' });
    (fields[name] as Members)['parent'] = `section-${move}`;
    if (move === 2) {
      const [branch] = json['allOf'] as [{ then: { properties: Members } }];
      branch.then.properties[name] = properties[name];
      delete properties[name];
    }
  }
  if (half === 'drop' && move !== 2) delete properties[name];
  else if (other === 'drop') delete fields[name];
};

/** Such a form in which some of our fields stand already: moved, renamed, of a wrong kind, or by one half. */
export const usedForm: fc.Arbitrary<FormDocument> = fc
  .tuple(adminForm, ours, fc.array(damage, { minLength: ourFields.length, maxLength: ourFields.length }))
  .map(([admin, fields, damages]) => {
    if (fields.length === 0) return admin;
    const planned = structuredClone(plannedForm(fields));
    const form = structuredClone(admin) as { json: Members; ui: Members };
    Object.assign(form.json['properties'] as Members, planned.json['properties']);
    Object.assign(form.ui['fields'] as Members, planned.ui['fields']);
    Object.assign(form.ui['sections'] as Members, planned.ui['sections']);
    (form.ui['order'] as string[]).push('section-ext');
    fields.forEach(({ property }, i) => damaged(property, form, damages[i] as Damage));
    return form;
  });
