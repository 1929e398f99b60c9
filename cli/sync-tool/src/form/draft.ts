import { isDeepStrictEqual } from 'node:util';
import type { FormDocument } from '@ranger-relay/site';
import { jsonHalf, type Kind, kindOfJson, uiHalf, uiTypeOf } from './kinds.ts';
import {
  type Branch,
  branchesOf,
  copyJson,
  type Fault,
  type FormChange,
  type FormField,
  isMembers,
  member,
  type Members,
  type NewSection,
  ourSection,
} from './model.ts';
import { emptyEnvelope, itemOf, plannedJson, plannedUi, sectionWith } from './planned.ts';
import { fault } from './validate.ts';

/** Members that make out which of the fields of a kind one is; the plan decides them. */
const decisive = ['anyOf', 'items'] as const;

/** The required kind for the JSON half of one of our fields. */
export const jsonKindOf = (field: FormField): Kind =>
  // By its JSON half alone an attachment is a text.
  field.kind === 'attachment' ? 'attachment' : (kindOfJson(plannedJson(field)) ?? 'text');

/** Members of the stored half that the planned kind also has and that have valid values for it. */
const fitting = (stored: unknown, shape: Readonly<Record<string, unknown>>, planned: Members): Members => {
  const names = Object.keys(isMembers(stored) ? stored : {}).filter((name) => Object.hasOwn(shape, name));
  const fits = (name: string): boolean => {
    const type = shape[name] as { safeParse(value: unknown): { success: boolean } };
    return type.safeParse(member(stored, name)).success;
  };
  const isPlanned = (name: string): boolean =>
    decisive.some((member) => member === name && Object.hasOwn(planned, name));
  const kept = names.filter((name) => fits(name) && !isPlanned(name));
  return Object.fromEntries(kept.map((name) => [name, member(stored, name)]));
};

const hasItsOptions = (stored: Members, planned: Members): boolean =>
  isDeepStrictEqual(stored['anyOf'], planned['anyOf']) &&
  !Object.hasOwn(stored, 'enum') &&
  !Object.hasOwn(stored, 'x-enumExtra');

/** Whether a stored JSON half is of the planned kind, with the options that the plan has. */
const isRight = (kind: Kind, stored: Members, planned: Members): boolean => {
  // A single attachment is a text by its JSON half alone.
  if (kind === 'attachment' && stored['type'] === 'string') return stored['format'] === planned['format'];
  if (kindOfJson(stored) !== kind) return false;
  if (kind === 'choices') return hasItsOptions(itemsOf(stored), itemsOf(planned));
  return kind !== 'choice' || hasItsOptions(stored, planned);
};

const itemsOf = (half: Members): Members => {
  const items = half['items'];
  return isMembers(items) ? items : {};
};

/**
 * The correct JSON half of one of our fields: the stored half if its kind and reference are correct, otherwise a half of the correct kind
 * that keeps all valid members (site contract, 5.3, rule 3).
 */
export const rightJson = (field: FormField, stored: unknown): Members => {
  const planned = plannedJson(field);
  const kind = jsonKindOf(field);
  if (isMembers(stored) && isRight(kind, stored, planned)) return stored;
  const { description: _, ...needed } = planned;
  return { ...needed, ...fitting(stored, jsonHalf(kind, planned).shape, planned) };
};

/** The correct UI half of one of our fields, as {@link rightJson}; a half without a parent gets `parent`. */
export const rightUi = (field: FormField, stored: unknown, parent: string): Members => {
  const planned = plannedUi(field, parent);
  const type = uiTypeOf(planned);
  if (isMembers(stored) && uiTypeOf(stored) === type) return stored;
  return { ...planned, ...(type && fitting(stored, uiHalf(type).shape, planned)) };
};

/** A modifiable copy of a form, with a list of the changes made to it. */
export interface Draft {
  /** The section for fields of ours that the form lacks. */
  readonly home: NewSection;
  readonly document: FormDocument;
  readonly properties: Members;
  readonly branches: readonly Branch[];
  readonly fields: Members;
  readonly sections: Members;
  readonly order: unknown[];
  readonly changes: FormChange[];
  /** Places whose content cannot be extended. */
  readonly faults: Fault[];
}

/** An empty half counts as missing, because the site requires certain members. */
const orEnvelope = (half: unknown, envelope: Members): Members =>
  isMembers(half) && Object.keys(half).length > 0 ? half : copyJson(envelope);

/**
 * The section that shows most of our fields, the first in order of several; where none shows one, ours, which a new form may name otherwise
 * (contract of the exported bundle, 11).
 */
const homeIn = (
  sections: Members,
  order: readonly unknown[],
  fields: readonly FormField[],
  fallback: NewSection,
): NewSection => {
  const ours = new Set(fields.map(({ property }) => property));
  const count = (id: string): number =>
    columnsOf(sections[id]).filter((item) => member(item, 'type') === 'field' && ours.has(String(member(item, 'name'))))
      .length;
  const ids = [...new Set([...order.map(String), ...Object.keys(sections)])].filter((id) =>
    Object.hasOwn(sections, id),
  );
  const [largest] = ids.toSorted((a, b) => count(b) - count(a));
  return largest === undefined || count(largest) === 0 ? fallback : { id: largest, label: '' };
};

/** Creates a copy; never modifies the form itself. */
export const openDraft = (
  stored: FormDocument | null,
  fields: readonly FormField[] = [],
  newSection: NewSection = ourSection,
): Draft => {
  const envelope = emptyEnvelope();
  const copy = copyJson(stored ?? envelope);
  const json = orEnvelope(copy.json, envelope.json);
  const ui = orEnvelope(copy.ui, envelope.ui);
  const faults: Fault[] = [];
  const membersAt = (parent: Members, place: string, name: string): Members => {
    const found = (parent[name] ??= {});
    if (isMembers(found)) return found;
    faults.push(fault([place, name], 'This is no object, so nothing can be added to it.'));
    return {};
  };
  const order = (ui['order'] ??= []);
  if (!Array.isArray(order)) faults.push(fault(['ui', 'order'], 'This is no list, so nothing can be added to it.'));
  const sections = membersAt(ui, 'ui', 'sections');
  const shown: unknown[] = Array.isArray(order) ? order : [];
  return {
    home: homeIn(sections, shown, fields, Object.keys(sections).length === 0 ? newSection : ourSection),
    document: { json, ui },
    properties: membersAt(json, 'json', 'properties'),
    branches: branchesOf(json),
    fields: membersAt(ui, 'ui', 'fields'),
    sections,
    order: shown,
    changes: [],
    faults,
  };
};

const columnsOf = (section: unknown): unknown[] =>
  ['leftColumn', 'rightColumn'].flatMap((name) => {
    const column = member(section, name);
    return Array.isArray(column) ? (column as unknown[]) : [];
  });

/** The section that lists a field in one of its columns. */
export const sectionOf = ({ sections }: Draft, name: string): string | undefined =>
  Object.keys(sections).find((id) =>
    columnsOf(sections[id]).some((item) => member(item, 'name') === name && member(item, 'type') === 'field'),
  );

const ensureSection = ({ home, sections, order, changes }: Draft, id: string): void => {
  if (!Object.hasOwn(sections, id)) {
    sections[id] = sectionWith([], id === home.id ? home.label : '');
    changes.push({ change: 'section-added', section: id });
    if (!order.includes(id)) order.push(id);
  } else showSection({ order, changes }, id);
};

/** A section that is missing from the order is not shown, and neither are its fields. */
const showSection = ({ order, changes }: Pick<Draft, 'order' | 'changes'>, id: string): void => {
  if (order.includes(id)) return;
  order.push(id);
  changes.push({ change: 'section-shown', section: id });
};

/** Adds our section to the order if the form has the section but does not show it. */
export const showOurSection = ({ home, sections, order, changes }: Draft): void => {
  if (columnsOf(sections[home.id]).length > 0) showSection({ order, changes }, home.id);
};

/** Adds a field at the end of a section's left column; creates the section, and adds it to the order, if necessary. */
export const listInSection = (draft: Draft, id: string, name: string): void => {
  ensureSection(draft, id);
  const section = draft.sections[id];
  const column = isMembers(section) ? (section['leftColumn'] ??= []) : undefined;
  if (Array.isArray(column)) column.push(itemOf(name));
  else
    draft.faults.push(fault(['ui', 'sections', id, 'leftColumn'], 'This is no list, so nothing can be added to it.'));
};
