import { isDeepStrictEqual } from 'node:util';
import type { FormDocument } from '@ranger-relay/site';
import {
  type Draft,
  jsonKindOf,
  listInSection,
  openDraft,
  rightJson,
  rightUi,
  sectionOf,
  showOurSection,
} from './draft.ts';
import { kindOfJson, uiTypeOf } from './kinds.ts';
import {
  branchesOf,
  type Fault,
  type FormChange,
  type FormField,
  isMembers,
  jsonHalvesOf,
  member,
  type Members,
  optionsText,
  type NewSection,
  ourSection,
  uiHalvesOf,
} from './model.ts';
import { modernizeForm, repairForm, type SiteOptions } from './modernize.ts';
import { plannedForm, plannedJson, plannedUi } from './planned.ts';
import { validateForm } from './validate.ts';

const groupsWith = ({ properties, branches }: Draft, name: string): Members[] =>
  [properties, ...branches.map((branch) => branch.properties)].filter((group) => Object.hasOwn(group, name));

/** The section for a field that no section lists: the conditional section of its JSON half, otherwise ours. */
const homeOf = ({ branches, sections, home }: Draft, name: string): string => {
  const branch = branches.find(({ properties }) => Object.hasOwn(properties, name));
  return branch?.section !== undefined && Object.hasOwn(sections, branch.section) ? branch.section : home.id;
};

/** The section that shows a field; a field that no section lists is added to its home section. */
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
  const { property, title, deprecated } = field;
  draft.properties[property] = plannedJson(field);
  draft.fields[property] = plannedUi(field, placed(draft, property));
  draft.changes.push({ change: 'field-added', property, title, deprecated });
};

/** Describes what was wrong with a JSON half that was replaced. */
const tellFix = ({ changes }: Draft, field: FormField, stored: unknown, right: Members): void => {
  const { property } = field;
  const [from, to] = [kindOfJson(stored), jsonKindOf(field)];
  if (from === to)
    changes.push({ change: 'options-fixed', property, from: optionsText(stored), to: optionsText(right) });
  else changes.push({ change: 'kind-fixed', property, from: from ?? 'unknown', to });
};

const titleIn = ({ title }: Members): string => (typeof title === 'string' ? title : '');

/** Fields that are not core fields take title and `deprecated` from the plan. */
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
  const right = rightUi(field, stored, sectionOf(draft, property) ?? draft.home.id);
  draft.fields[property] = right;
  const told = draft.changes.some((change) => change.change === 'kind-fixed' && change.property === property);
  if (right === stored || told) return;
  const [from, to] = [uiTypeOf(stored) ?? 'unknown', String(right['type'])];
  draft.changes.push({ change: 'kind-fixed', property, from, to });
};

/** Marks a field that is there as deprecated; all else of it stays. */
const retire = ({ changes }: Draft, { property }: FormField, groups: readonly Members[]): void => {
  for (const group of groups) {
    const stored = group[property];
    if (!isMembers(stored) || stored['deprecated'] === true) continue;
    group[property] = { ...stored, deprecated: true };
    changes.push({ change: 'deprecated-changed', property, to: true });
  }
};

/**
 * Merges one of our fields into a draft: adds a missing field, completes a field with one half, and fixes a wrong kind or reference.
 * Everything else of the field stays as on the site (site contract, 5.3, rules 2 and 3).
 */
const mergeField = (draft: Draft, field: FormField): void => {
  const { property, retired } = field;
  const groups = groupsWith(draft, property);
  if (retired) return retire(draft, field, groups);
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

/** The result of a merge. */
export interface MergedForm {
  readonly document: FormDocument;
  /** False when the site already has everything, so that nothing is sent. */
  readonly changed: boolean;
  readonly changes: readonly FormChange[];
  /** What was made of old fields, as `<path>: <change>`; by itself no reason to send anything. */
  readonly repaired: readonly string[];
  /** What would have to change in a form of 2025, which the site refuses as it is; if anything, nothing may be sent. */
  readonly outdated: readonly string[];
  /** Faults that the merge introduced or cannot handle; if there are any, nothing may be sent. */
  readonly faultsBrought: readonly Fault[];
  /** Faults that the stored document already had and still has. */
  readonly faultsBefore: readonly Fault[];
}

/** Whether two forms are equal; the order of members does not matter (site contract, 5.3, rule 6). */
export const equalForms = (a: FormDocument | null, b: FormDocument | null): boolean => isDeepStrictEqual(a, b);

/** Names of all fields of a form, including those in conditional sections. */
export const propertiesOf = (form: FormDocument | null): string[] => {
  const root = member(form?.json, 'properties');
  const groups = [root, ...branchesOf(form?.json).map(({ properties }) => properties)];
  return [...new Set(groups.flatMap((group) => (isMembers(group) ? Object.keys(group) : [])))];
};

/** All fields of a form whose kinds are known, with their kinds. */
export const kindsIn = (form: FormDocument | null): Record<string, string> =>
  Object.fromEntries(
    propertiesOf(form).map((name) => [name, kindOfJson(jsonHalvesOf(form?.json, name)[0]) ?? 'unknown']),
  );

/** How to bring our fields into a form. */
export interface MergeOptions {
  /** Whether the form gives way to ours. */
  readonly replace: boolean;
  /** Fields that a replaced form keeps, in addition to ours. */
  readonly keep: ReadonlySet<string>;
  /** Whether a form of 2025 may be brought into the format of today. */
  readonly modernize: boolean;
  /** Options on the site, to which choices of a form of 2025 may refer. */
  readonly options?: SiteOptions;
  /** The section of our fields in a new form; default: that of our own format. */
  readonly newSection?: NewSection | undefined;
}

/** Ours alone, with the fields to keep behind them. */
const replaceForm = (
  stored: FormDocument | null,
  wanted: readonly FormField[],
  { keep, newSection = ourSection }: MergeOptions,
): Draft => {
  const fields = wanted.filter(({ retired }) => !retired);
  const draft = openDraft(plannedForm(fields, newSection), fields);
  const before = propertiesOf(stored);
  const ours = new Set(fields.map(({ property }) => property));
  const isKept = (name: string): boolean => keep.has(name) && !ours.has(name);
  for (const name of before.filter(isKept)) {
    draft.properties[name] = jsonHalvesOf(stored?.json, name)[0];
    for (const [key, half] of uiHalvesOf(stored?.ui, name))
      draft.fields[key] = key === name && isMembers(half) ? { ...half, parent: draft.home.id } : half;
    listInSection(draft, draft.home.id, name);
  }
  const added = fields.filter(({ property }) => !before.includes(property));
  if (stored)
    draft.changes.push({ change: 'replaced', dropped: before.filter((name) => !ours.has(name) && !keep.has(name)) });
  const kindsBefore = kindsIn(stored);
  for (const field of fields) {
    const [from, to] = [kindsBefore[field.property], jsonKindOf(field)];
    if (from !== undefined && from !== to)
      draft.changes.push({ change: 'kind-fixed', property: field.property, from, to });
  }
  draft.changes.push(
    ...added.map(({ property, title, deprecated }): FormChange => ({
      change: 'field-added',
      property,
      title,
      deprecated,
    })),
  );
  return draft;
};

const mergeFields = (
  stored: FormDocument | null,
  fields: readonly FormField[],
  newSection: NewSection | undefined,
): Draft => {
  const draft = openDraft(stored, fields, newSection);
  if (draft.faults.length > 0) return draft;
  for (const field of fields) mergeField(draft, field);
  showOurSection(draft);
  return draft;
};

const sameFault = (a: Fault, b: Fault): boolean => a.path === b.path && a.text === b.text;

/**
 * Merges our fields into the stored form, or into an empty one for null. Everything else stays unchanged. With `replace` the result
 * contains only our fields and those to keep (site contract, 5.3). Does not modify the stored form.
 */
export const mergeForm = (
  stored: FormDocument | null,
  fields: readonly FormField[],
  merge: MergeOptions,
): MergedForm => {
  const { replace, modernize, options = new Map(), newSection } = merge;
  const modern = stored && modernizeForm(stored, options);
  const base = modern && (modernize || replace) ? modern.document : stored;
  const before = base ? validateForm(base) : [];
  const draft = replace ? replaceForm(base, fields, merge) : mergeFields(base, fields, newSection);
  const unchanged = { changed: false, changes: [], repaired: [], outdated: [] };
  const lacking = replace ? [] : (modern?.lacking ?? []);
  const due = replace ? [] : [...(modern?.modernized ?? []), ...lacking.map(({ path, text }) => `${path}: ${text}`)];
  if (due.length > 0 && !modernize && !equalForms(stored, draft.document))
    return { ...unchanged, document: draft.document, outdated: due, faultsBrought: [], faultsBefore: [] };
  const faults = modernize ? [...draft.faults, ...lacking] : draft.faults;
  if (faults.length > 0) {
    const document = stored ?? draft.document;
    return { ...unchanged, document, faultsBrought: faults, faultsBefore: before };
  }
  const { document, repaired } = repairForm(draft.document);
  const after = validateForm(document);
  const isOld = (fault: Fault): boolean => before.some((old) => sameFault(old, fault));
  return {
    ...(equalForms(stored, draft.document)
      ? { ...unchanged, document: draft.document }
      : { changed: true, changes: draft.changes, document, repaired: [...due, ...repaired], outdated: [] }),
    faultsBrought: after.filter((fault) => !isOld(fault)),
    faultsBefore: after.filter(isOld),
  };
};
