import { z } from 'zod';
import { jsonHalvesOf } from './branches.ts';
import { fault, faultsOf } from './faults.ts';
import { isMembers, member } from './json.ts';
import type { Fault } from './model.ts';
import { uiHalf, uiTypeOf, uiTypes } from './ui-kinds.ts';

const items = z.array(
  z
    .strictObject({ name: z.string(), type: z.enum(['field', 'header']) })
    .refine(
      ({ name, type }) => type === 'field' || name.startsWith('header-'),
      'The name of a header must begin with "header-".',
    ),
);

const sectionSchema = z.strictObject({
  columns: z.union([z.literal(1), z.literal(2)], 'This must be 1 or 2.'),
  isActive: z.boolean(),
  leftColumn: items,
  rightColumn: items,
  label: z.string().optional(),
  conditions: z.unknown().optional(),
});

const headerSchema = z.strictObject({
  label: z.string(),
  section: z.string(),
  size: z.enum(['LARGE', 'MEDIUM', 'SMALL']),
});

const anything = z.record(z.string(), z.unknown());
const sectionId = z.string().regex(/^section-[a-zA-Z0-9_-]+$/);
const uiSchema = z.strictObject({
  fields: anything,
  headers: anything,
  order: z.array(sectionId).refine((ids) => new Set(ids).size === ids.length, 'This names a section twice.'),
  sections: anything,
});

/** Whether a key of the ui part has its property: `name` itself, or `collection.child` inside of a collection. */
const hasProperty = (json: unknown, key: string): boolean => {
  const [name = '', ...children] = key.split('.');
  return jsonHalvesOf(json, name).some(
    (property) =>
      children.reduce<unknown>((at, child) => member(member(member(at, 'items'), 'properties'), child), property) !==
      undefined,
  );
};

const fieldFaults = (json: unknown, key: string, field: unknown): Fault[] => {
  const place = ['ui', 'fields', key];
  const type = uiTypeOf(field);
  const own = type
    ? faultsOf(uiHalf(type), field, place)
    : [fault([...place, 'type'], `This must be one of ${uiTypes.join(', ')}.`)];
  return hasProperty(json, key) ? own : [...own, fault(place, 'There is no property of this name.')];
};

const each = (ui: unknown, name: string, faults: (key: string, value: unknown) => Fault[]): Fault[] => {
  const all = member(ui, name);
  return isMembers(all) ? Object.entries(all).flatMap(([key, value]) => faults(key, value)) : [];
};

const orderFaults = (ui: unknown): Fault[] => {
  const order = member(ui, 'order');
  if (!Array.isArray(order)) return [];
  return order.flatMap((id: unknown, index) =>
    typeof id === 'string' && member(member(ui, 'sections'), id) === undefined
      ? [fault(['ui', 'order', index], `There is no section ${id}.`)]
      : [],
  );
};

/** Faults of the ui part; the json part says which properties there are. */
export const uiFaults = (json: unknown, ui: unknown): Fault[] => [
  ...faultsOf(uiSchema, ui, ['ui']),
  ...each(ui, 'fields', (key, field) => fieldFaults(json, key, field)),
  ...each(ui, 'sections', (key) => faultsOf(sectionId, key, ['ui', 'sections', key])),
  ...each(ui, 'sections', (key, section) => faultsOf(sectionSchema, section, ['ui', 'sections', key])),
  ...each(ui, 'headers', (key, header) => faultsOf(headerSchema, header, ['ui', 'headers', key])),
  ...orderFaults(ui),
];
