import { listInSection, sectionOf, type Draft } from './draft.ts';
import { jsonKindOf, rightJson, rightUi } from './halves.ts';
import { member, type Members } from './json.ts';
import { kindOfJson } from './kinds.ts';
import { ourSection, type FormField } from './model.ts';
import { optionsText } from './options.ts';
import { plannedJson, plannedUi } from './planned.ts';
import { uiTypeOf } from './ui-kinds.ts';

const groupsWith = ({ properties, branches }: Draft, name: string): Members[] =>
  [properties, ...branches.map((branch) => branch.properties)].filter((group) => Object.hasOwn(group, name));

/** Where a field without a place goes: the conditional section of its json half, else ours. */
const homeOf = ({ branches, sections }: Draft, name: string): string => {
  const branch = branches.find(({ properties }) => Object.hasOwn(properties, name));
  return branch?.section !== undefined && Object.hasOwn(sections, branch.section) ? branch.section : ourSection;
};

/** The section that shows a field; one that none lists is listed in its home. */
const placed = (draft: Draft, name: string): string => {
  const found = sectionOf(draft, name);
  if (found !== undefined) return found;
  const home = homeOf(draft, name);
  listInSection(draft, home, name);
  return home;
};

const addJson = (draft: Draft, field: FormField): void => {
  const parent = member(draft.fields[field.property], 'parent');
  const branch = draft.branches.find(({ section }) => section !== undefined && section === parent);
  (branch?.properties ?? draft.properties)[field.property] = plannedJson(field);
};

const addField = (draft: Draft, field: FormField): void => {
  const { property, title } = field;
  draft.properties[property] = plannedJson(field);
  draft.fields[property] = plannedUi(field, placed(draft, property));
  draft.changes.push({ change: 'field-added', property, title });
};

/** Tells what was wrong with a json half that had to be replaced. */
const tellFix = ({ changes }: Draft, field: FormField, stored: unknown, right: Members): void => {
  const { property } = field;
  const [from, to] = [kindOfJson(stored), jsonKindOf(field)];
  if (from === to)
    changes.push({ change: 'options-fixed', property, from: optionsText(stored), to: optionsText(right) });
  else changes.push({ change: 'kind-fixed', property, from: from ?? 'unknown', to });
};

const titleIn = ({ title }: Members): string => (typeof title === 'string' ? title : '');

/** Fields that are not core follow the plan in title and `deprecated`. */
const retitle = ({ changes }: Draft, field: FormField, half: Members): Members => {
  const { property, title, deprecated, core } = field;
  if (core) return half;
  if (half['title'] !== title) changes.push({ change: 'title-changed', property, from: titleIn(half), to: title });
  if (half['deprecated'] !== deprecated) changes.push({ change: 'deprecated-changed', property, to: deprecated });
  return { ...half, title, deprecated };
};

const fixJson = (draft: Draft, field: FormField, group: Members): void => {
  const stored = group[field.property];
  const right = rightJson(field, stored);
  if (right !== stored) tellFix(draft, field, stored, right);
  group[field.property] = retitle(draft, field, right);
};

const fixUi = (draft: Draft, field: FormField): void => {
  const { property } = field;
  const stored = draft.fields[property];
  const right = rightUi(field, stored, sectionOf(draft, property) ?? ourSection);
  draft.fields[property] = right;
  const told = draft.changes.some((change) => change.change === 'kind-fixed' && change.property === property);
  if (right === stored || told) return;
  const [from, to] = [uiTypeOf(stored) ?? 'unknown', String(right['type'])];
  draft.changes.push({ change: 'kind-fixed', property, from, to });
};

/**
 * Brings one of our fields into a draft: added where it is missing, completed where one half is, mended where its kind or reference is
 * wrong; all else of it stays as the site has it (site contract, 5.3, rules 2 and 3).
 */
export const mergeField = (draft: Draft, field: FormField): void => {
  const { property } = field;
  const groups = groupsWith(draft, property);
  const hasUi = Object.hasOwn(draft.fields, property);
  if (groups.length === 0 && !hasUi) return addField(draft, field);
  for (const group of groups) fixJson(draft, field, group);
  if (hasUi) fixUi(draft, field);
  if (groups.length === 0) {
    addJson(draft, field);
    draft.changes.push({ change: 'half-added', property, half: 'json' });
  } else if (!hasUi) {
    draft.fields[property] = plannedUi(field, placed(draft, property));
    draft.changes.push({ change: 'half-added', property, half: 'ui' });
  }
};
