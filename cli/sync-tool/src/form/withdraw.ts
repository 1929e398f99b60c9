import { isDeepStrictEqual } from 'node:util';
import type { FormDocument } from '@ranger-relay/site';
import { branchesOf, copyJson, isMembers, jsonHalvesOf, member, type Members, uiHalvesOf } from './model.ts';
import { propertiesOf } from './merge.ts';
import { itemOf } from './planned.ts';

/** The form before a run, as the run wrote it, and as it is now. */
export interface FormStates {
  readonly before: FormDocument;
  readonly written: FormDocument;
  readonly stored: FormDocument;
}

/** A form without what a run put in. */
export interface WithdrawnForm {
  readonly document: FormDocument;
  /** Fields of the run that stay, because they were changed since, a condition uses them, or the caller keeps them. */
  readonly left: readonly string[];
  /** Those of them that a condition uses. */
  readonly used: readonly string[];
  /** Fields of the run that are gone. */
  readonly removed: readonly string[];
  /** Fields that are as before the run. */
  readonly restored: readonly string[];
  /** Removed and restored fields that were changed since. */
  readonly overridden: readonly string[];
}

/** What an undo of the form keeps. */
export interface WithdrawOptions {
  /** Fields that must stay. */
  readonly keep?: ReadonlySet<string>;
  /** Whether fields of the run are taken back although they were changed since. */
  readonly forced?: boolean;
  /** Whether the run can have written a field; others stay as they are. Default: all. */
  readonly isOfRun?: ((name: string) => boolean) | undefined;
}

const objectAt = (value: unknown, name: string): Members => {
  const found = member(value, name);
  return isMembers(found) ? found : {};
};

const listAt = (value: unknown, name: string): readonly unknown[] => {
  const found = member(value, name);
  return Array.isArray(found) ? (found as unknown[]) : [];
};

const isRequired = (json: unknown, name: string): boolean => listAt(json, 'required').includes(name);

/** Both halves of a field and whether it is required, without its place, which people may change freely. */
const fieldIn = ({ json, ui }: FormDocument, name: string): unknown => {
  const halves = uiHalvesOf(ui, name).map(([key, half]) => {
    if (key !== name || !isMembers(half)) return [key, half] as const;
    const { parent: _, ...rest } = half;
    return [key, rest] as const;
  });
  const required = [json, ...listAt(json, 'allOf').map((branch) => member(branch, 'then'))];
  return {
    json: jsonHalvesOf(json, name)[0] ?? null,
    ui: Object.fromEntries(halves),
    required: required.some((part) => isRequired(part, name)),
  };
};

const namesIn = ({ json, ui }: FormDocument): string[] => [
  ...propertiesOf({ json, ui }),
  ...Object.keys(objectAt(ui, 'fields')).filter((key) => !key.includes('.')),
];

/** Every member name and text of a value. */
const wordsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item) => wordsIn(item));
  return isMembers(value) ? Object.entries(value).flatMap(([name, item]) => wordsIn(item).concat(name)) : [];
};

/** The names that conditions of a form use. */
const namesInConditions = ({ json, ui }: FormDocument): ReadonlySet<string> =>
  new Set([
    ...listAt(json, 'allOf').flatMap((branch) => wordsIn(member(branch, 'if'))),
    ...Object.values(objectAt(ui, 'sections')).flatMap((section) => wordsIn(member(section, 'conditions'))),
  ]);

const columns = ['leftColumn', 'rightColumn'] as const;

const isItemOf =
  (name: string) =>
  (item: unknown): boolean =>
    member(item, 'name') === name && member(item, 'type') === 'field';

const without = (list: unknown, isGone: (item: unknown) => boolean): unknown =>
  Array.isArray(list) ? list.filter((item) => !isGone(item)) : list;

const isPlaced = (ui: Members, name: string): boolean =>
  Object.values(objectAt(ui, 'sections')).some((section) =>
    columns.some((column) => listAt(section, column).some(isItemOf(name))),
  );

/** Removes a field with everything that shows or requires it. */
const removeField = ({ json, ui }: { json: Members; ui: Members }, name: string): void => {
  const branches = branchesOf(json);
  for (const group of [objectAt(json, 'properties'), ...branches.map(({ properties }) => properties)])
    delete group[name];
  const fields = objectAt(ui, 'fields');
  for (const [key] of uiHalvesOf(ui, name)) delete fields[key];
  for (const section of Object.values(objectAt(ui, 'sections')))
    if (isMembers(section)) for (const column of columns) section[column] = without(section[column], isItemOf(name));
  const isName = (each: unknown): boolean => each === name;
  json['required'] = without(json['required'], isName);
  for (const branch of listAt(json, 'allOf')) {
    const then = objectAt(branch, 'then');
    if (Object.hasOwn(then, 'required')) then['required'] = without(then['required'], isName);
  }
};

/** Makes a field what it was before the run; it stays where it is, or goes where it was. */
const restoreField = (
  { json, ui }: { json: Members; ui: Members },
  name: string,
  { before }: Pick<FormStates, 'before'>,
): void => {
  const half = jsonHalvesOf(before.json, name)[0];
  const groups = [objectAt(json, 'properties'), ...branchesOf(json).map(({ properties }) => properties)];
  const holders = groups.filter((group) => Object.hasOwn(group, name));
  for (const group of holders.length > 0 ? holders : groups.slice(0, 1)) {
    if (half === undefined) delete group[name];
    else group[name] = half;
  }
  const fields = objectAt(ui, 'fields');
  const parent = member(fields[name], 'parent');
  for (const [key] of uiHalvesOf(ui, name)) delete fields[key];
  for (const [key, each] of uiHalvesOf(before.ui, name))
    fields[key] = key === name && isMembers(each) && parent !== undefined ? { ...each, parent } : each;
  const wasRequired = isRequired(before.json, name);
  if (wasRequired === isRequired(json, name)) return;
  const others = listAt(json, 'required').filter((each) => each !== name);
  json['required'] = wasRequired ? [...others, name] : others;
};

/** Gives sections that the run dropped back, with the items that are nowhere else. */
const addSections = (ui: Members, { before, written }: FormStates, names: ReadonlySet<string>): void => {
  const sections = objectAt(ui, 'sections');
  for (const [id, section] of Object.entries(objectAt(before.ui, 'sections'))) {
    if (Object.hasOwn(sections, id) || Object.hasOwn(objectAt(written.ui, 'sections'), id) || !isMembers(section))
      continue;
    const isGone = (item: unknown): boolean => {
      const name = String(member(item, 'name'));
      const isHeader = member(item, 'type') === 'header';
      return isHeader ? !Object.hasOwn(objectAt(ui, 'headers'), name) : !names.has(name) || isPlaced(ui, name);
    };
    sections[id] = {
      ...section,
      ...Object.fromEntries(columns.map((column) => [column, without(section[column], isGone)])),
    };
  }
};

/** Removes the sections that the run added, if they are empty and unchanged otherwise. */
const removeSections = (ui: Members, { before, written }: FormStates): void => {
  const sections = objectAt(ui, 'sections');
  const bare = { leftColumn: [], rightColumn: [] };
  for (const [id, section] of Object.entries(objectAt(written.ui, 'sections'))) {
    const now = sections[id];
    if (Object.hasOwn(objectAt(before.ui, 'sections'), id) || !isMembers(now) || !isMembers(section)) continue;
    const isEmpty = columns.every((column) => listAt(now, column).length === 0);
    if (isEmpty && isDeepStrictEqual({ ...now, ...bare }, { ...section, ...bare })) delete sections[id];
  }
};

/** Where a form shows a field: a column of a section, and the items that stand before it there. */
const placeIn = (ui: Members, name: string) => {
  for (const [id, section] of Object.entries(objectAt(ui, 'sections')))
    for (const column of columns) {
      const items = listAt(section, column);
      const index = items.findIndex(isItemOf(name));
      if (index >= 0) return { id, column, preceding: items.slice(0, index) };
    }
  return undefined;
};

/** Shows fields that no section shows where they stood before the run, or else in the section of their parent. */
const placeFields = (ui: Members, names: readonly string[], before: Members): void => {
  for (const name of names) {
    if (isPlaced(ui, name)) continue;
    const {
      id = member(objectAt(ui, 'fields')[name], 'parent'),
      column = 'leftColumn',
      preceding,
    } = placeIn(before, name) ?? {};
    const items = member(objectAt(ui, 'sections')[String(id)], column);
    if (!Array.isArray(items)) continue;
    const last = items.findLastIndex((item) => preceding?.some((other) => isDeepStrictEqual(other, item)) ?? true);
    items.splice(last + 1, 0, itemOf(name));
  }
};

const restoreOrder = (ui: Members, { before, written }: FormStates): void => {
  const sections = objectAt(ui, 'sections');
  const [then, was] = [listAt(before.ui, 'order'), listAt(written.ui, 'order')];
  const isGone = (id: unknown): boolean => !Object.hasOwn(sections, String(id));
  const back = then.filter((id) => !was.includes(id) && !isGone(id) && !listAt(ui, 'order').includes(id));
  const order = without(ui['order'], isGone);
  ui['order'] = Array.isArray(order) ? order.concat(back) : order;
};

/** Restores a member as a whole if nobody has changed it since. */
const restoreMember = (draft: Members, name: string, before: unknown, written: unknown): void => {
  const [then, was] = [member(before, name), member(written, name)];
  if (isDeepStrictEqual(then ?? null, was ?? null) || !isDeepStrictEqual(draft[name] ?? null, was ?? null)) return;
  if (then === undefined) delete draft[name];
  else draft[name] = copyJson(then);
};

/**
 * Takes what a run put into a form out of the form as it is now, and gives back what the run dropped. The unit is the field: one that was
 * changed since stays as it is, apart from its place, unless forced. What is not of the run always stays. Does not modify the documents.
 */
export const withdrawForm = (
  states: FormStates,
  { keep = new Set(), forced = false, isOfRun = () => true }: WithdrawOptions = {},
): WithdrawnForm => {
  const { before, written, stored } = states;
  const draft = copyJson(stored) as { json: Members; ui: Members };
  restoreMember(draft.json, 'allOf', before.json, written.json);
  restoreMember(draft.ui, 'headers', before.ui, written.ui);
  const inConditions = namesInConditions(draft);
  const names = { left: [] as string[], used: [] as string[], removed: [] as string[], restored: [] as string[] };
  const overridden: string[] = [];
  const known = new Set(namesIn(before));
  for (const name of new Set([before, written].flatMap((form) => namesIn(form)).filter((each) => isOfRun(each)))) {
    const [then, was, now] = [before, written, stored].map((form) => fieldIn(form, name));
    if (isDeepStrictEqual(then, was) || isDeepStrictEqual(now, then)) continue;
    const [isNew, isChanged] = [!known.has(name), !isDeepStrictEqual(now, was)];
    const isUsed = isNew && inConditions.has(name);
    if (isUsed) names.used.push(name);
    if (isUsed || keep.has(name) || (isChanged && !forced)) {
      names.left.push(name);
      continue;
    }
    if (isNew) removeField(draft, name);
    else restoreField(draft, name, copyJson(states));
    names[isNew ? 'removed' : 'restored'].push(name);
    if (isChanged) overridden.push(name);
  }
  addSections(draft.ui, copyJson(states), new Set(namesIn(draft)));
  removeSections(draft.ui, states);
  const isHidden = (name: string): boolean =>
    isOfRun(name) && [written.ui, draft.ui].every((ui) => !isPlaced(ui, name)) && isPlaced(before.ui, name);
  const done = new Set([...names.left, ...names.restored]);
  names.restored.push(...[...new Set(namesIn(draft))].filter((name) => !done.has(name) && isHidden(name)));
  placeFields(draft.ui, names.restored, before.ui);
  restoreOrder(draft.ui, states);
  return { document: draft, ...names, overridden };
};
