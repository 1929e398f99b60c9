import type { Choice, FormDocument } from '@ranger-relay/site';
import { branchesOf, copyJson, type Fault, isMembers, jsonHalvesOf, member, type Members, optionsOf } from './model.ts';
import { fault, pathOf } from './validate.ts';
import { uiHalf, uiTypeOf } from './kinds.ts';

/** A form in the format that the site accepts today, and what was changed for it, as `<path>: <change>`. */
export interface ModernForm {
  readonly document: FormDocument;
  readonly modernized: readonly string[];
  /** Options that the lists lack to which choices of the document refer. */
  readonly missing: readonly FormOption[];
  /** Choices that stay as they are, because no list can take some of their options. */
  readonly lacking: readonly Fault[];
}

/** An option that a form of 2025 holds itself. */
export interface FormOption {
  /** The choice field that its field refers to. */
  readonly list: string;
  readonly value: string;
  readonly title: string;
}

/** Options on the site, by choice field. */
export type SiteOptions = ReadonlyMap<string, readonly Pick<Choice, 'value' | 'is_active'>[]>;

type Place = readonly PropertyKey[];

const note = (place: Place, text: string): string => `${pathOf(place)}: ${text}`;

const entriesOf = (value: unknown): [string, unknown][] => Object.entries(isMembers(value) ? value : {});

/** Objects are closed by another keyword today. */
const closeObject = (value: unknown, place: Place): string[] => {
  if (!isMembers(value) || value['additionalProperties'] !== false) return [];
  delete value['additionalProperties'];
  value['unevaluatedProperties'] = false;
  return [note(place, 'additionalProperties is unevaluatedProperties')];
};

/** The only list that a UI half names as the source of its options. */
const onlyList = (field: unknown): string | undefined => {
  const lists = member(member(field, 'choices'), 'existingChoiceList');
  const [list, ...others] = Array.isArray(lists) ? (lists as unknown[]) : [];
  return typeof list === 'string' && list !== '' && others.length === 0 ? list : undefined;
};

const isReference = (value: unknown): boolean => {
  const options = member(value, 'anyOf');
  return Array.isArray(options) && options.some((option) => typeof member(option, '$ref') === 'string');
};

/** The halves of a choice that hold its options. */
const holdersOf = (json: unknown, name: string): Members[] =>
  jsonHalvesOf(json, name)
    .map((half) => (member(half, 'type') === 'array' ? member(half, 'items') : half))
    .filter((half) => isMembers(half) && !isReference(half)) as Members[];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

type Titled = Omit<FormOption, 'list'>;

const titled = (value: unknown, title: unknown): Titled => ({
  value: String(value),
  title: typeof title === 'string' && title !== '' ? title : String(value),
});

/** The options that a choice offers without a reference. */
const inlineOptions = (half: unknown): Titled[] => {
  const [value, names] = [member(half, 'const'), listOf(member(half, 'enumNames'))];
  return [
    ...listOf(member(half, 'enum')).map((each, at) => titled(each, names[at])),
    ...(value === undefined ? [] : [titled(value, member(half, 'title'))]),
    ...[...listOf(member(half, 'oneOf')), ...listOf(member(half, 'anyOf'))].flatMap(inlineOptions),
  ];
};

const choicesIn = ({ json, ui }: FormDocument) =>
  entriesOf(member(ui, 'fields')).flatMap(([name, field]) => {
    const list = onlyList(field);
    if (list === undefined || !isMembers(field)) return [];
    const holders = holdersOf(json, name);
    const options = new Map(holders.flatMap(inlineOptions).map((option) => [option.value, option]));
    return [{ name, field, list, holders, inline: [...options.values()] }];
  });

/** The choice fields that must offer what a form of 2025 offers by itself. */
export const listsFor = (form: FormDocument | null): string[] =>
  form === null ? [] : choicesIn(form).flatMap(({ list, inline }) => (inline.length > 0 ? [list] : []));

/** Values that a choice field takes (site contract, 4). */
const optionForm = /^\w{1,100}$/;

/** The options of a choice stand in the JSON half today, as a reference to their list. A choice that would lose options stays. */
const referOptions = (form: FormDocument, options: SiteOptions): Omit<ModernForm, 'document'> => {
  const [modernized, missing, lacking]: [string[], FormOption[], Fault[]] = [[], [], []];
  for (const { name, field, list, holders, inline } of choicesIn(form)) {
    const offered = new Set((options.get(list) ?? []).flatMap(({ value, is_active }) => (is_active ? [value] : [])));
    const lost = inline.filter(({ value }) => !offered.has(value));
    const place = ['ui', 'fields', name, 'choices'];
    const refused = lost.flatMap(({ value }) => (optionForm.test(value) ? [] : [value]));
    if (refused.length > 0) {
      const text = `The choice field ${list} takes no such values, which only this field has: ${refused.join(', ')}.`;
      lacking.push(fault(place, text));
      continue;
    }
    for (const half of holders) {
      for (const old of ['enum', 'enumNames', 'oneOf']) delete half[old];
      half['anyOf'] = [{ $ref: optionsOf(list) }];
    }
    delete field['choices'];
    missing.push(...lost.map((option) => Object.assign({ list }, option)));
    const gets = lost.length > 0 ? `, which gets ${lost.map(({ value }) => value).join(', ')}` : '';
    modernized.push(note(place, `the options are a reference to ${list}${gets}`));
  }
  return { modernized, missing, lacking };
};

/** The UI half of a field of a collection has the collection in its key today. */
const qualifyChildren = (json: unknown, fields: Members): string[] =>
  Object.keys(fields).flatMap((key) => {
    const parent = member(fields[key], 'parent');
    if (key.includes('.') || typeof parent !== 'string' || jsonHalvesOf(json, key).length > 0) return [];
    const isChild = jsonHalvesOf(json, parent).some(
      (half) => member(member(member(half, 'items'), 'properties'), key) !== undefined,
    );
    const qualified = `${parent}.${key}`;
    if (!isChild || Object.hasOwn(fields, qualified)) return [];
    fields[qualified] = fields[key];
    delete fields[key];
    return [note(['ui', 'fields', key], `its key is ${qualified}`)];
  });

const maxPlaceholder = 32;

const dropPlaceholder = ([name, field]: [string, unknown]): string[] => {
  const text = member(field, 'placeholder');
  if (!isMembers(field) || typeof text !== 'string' || text.length <= maxPlaceholder) return [];
  delete field['placeholder'];
  return [
    note(['ui', 'fields', name, 'placeholder'], `dropped, because it has more than ${maxPlaceholder} characters`),
  ];
};

const closeItems = (properties: unknown, place: Place): string[] =>
  entriesOf(properties).flatMap(([name, property]) =>
    closeObject(member(property, 'items'), [...place, name, 'items']),
  );

/**
 * Brings a form of 2025 into the format that the site accepts today; a form of today stays as it is. Does not modify the form itself.
 * Members of UI halves that the site drops by itself are left to {@link repairForm}.
 */
export const modernizeForm = (form: FormDocument, options: SiteOptions): ModernForm => {
  const document = copyJson(form);
  const { json, ui } = document;
  const fields = member(ui, 'fields');
  const choices = referOptions(document, options);
  const modernized = [
    ...closeObject(json, ['json']),
    ...closeItems(member(json, 'properties'), ['json', 'properties']),
    ...branchesOf(json).flatMap(({ properties, place }) => closeItems(properties, place)),
    ...choices.modernized,
    ...(isMembers(fields) ? qualifyChildren(json, fields) : []),
    ...entriesOf(fields).flatMap(dropPlaceholder),
  ];
  return { ...choices, document, modernized };
};

/** A form as the site stores it, and the paths of what differs. */
interface RepairedForm {
  readonly document: FormDocument;
  readonly repaired: readonly string[];
}

/** Adds `deprecated` to the properties of a group, and to those of its collections. Returns the paths. */
const repairGroup = (properties: unknown, place: Place): string[] =>
  entriesOf(properties).flatMap(([name, property]) => {
    if (!isMembers(property)) return [];
    const here = place.concat(name);
    const inner = repairGroup(member(member(property, 'items'), 'properties'), here.concat('items', 'properties'));
    if (Object.hasOwn(property, 'deprecated')) return inner;
    property['deprecated'] = false;
    return inner.concat(`${pathOf(here)}: deprecated: false added`);
  });

/** Removes the members of a UI half that its type does not have. Returns the paths. */
const repairField = ([name, field]: [string, unknown]): string[] => {
  const type = uiTypeOf(field);
  if (!type || !isMembers(field)) return [];
  const strange = Object.keys(field).filter((each) => !Object.hasOwn(uiHalf(type).shape, each));
  for (const each of strange) delete field[each];
  return strange.map((each) => `${pathOf(['ui', 'fields', name, each])}: dropped, as the site does on saving`);
};

/**
 * Makes old fields of a form as the site stores them today: it refuses every form with a field without `deprecated`, and drops unknown
 * members of UI halves on saving. Does not modify the form itself.
 */
export const repairForm = (form: FormDocument): RepairedForm => {
  const document = copyJson(form);
  const repaired = [
    ...repairGroup(member(document.json, 'properties'), ['json', 'properties']),
    ...branchesOf(document.json).flatMap(({ properties, place }) => repairGroup(properties, place)),
    ...entriesOf(member(document.ui, 'fields')).flatMap(repairField),
  ];
  return { document, repaired };
};
