import type { Choice, FormDocument } from '@ranger-relay/site';
import { branchesOf, copyJson, type Fault, isMembers, jsonHalvesOf, member, type Members, optionsOf } from './model.ts';
import { fault, pathOf } from './validate.ts';

/** A form in the format that the site accepts today, and what was changed for it, as `<path>: <change>`. */
export interface ModernForm {
  readonly document: FormDocument;
  readonly modernized: readonly string[];
  /** Choices that stay as they are, because the list to refer to lacks some of their options. */
  readonly lacking: readonly Fault[];
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

/** The values that a choice offers without a reference. */
const inlineValues = (half: unknown): string[] => [
  ...listOf(member(half, 'enum')).map(String),
  ...(member(half, 'const') === undefined ? [] : [String(member(half, 'const'))]),
  ...[...listOf(member(half, 'oneOf')), ...listOf(member(half, 'anyOf'))].flatMap(inlineValues),
];

const choicesIn = ({ json, ui }: FormDocument) =>
  entriesOf(member(ui, 'fields')).flatMap(([name, field]) => {
    const list = onlyList(field);
    if (list === undefined || !isMembers(field)) return [];
    const holders = holdersOf(json, name);
    return [{ name, field, list, holders, values: [...new Set(holders.flatMap(inlineValues))] }];
  });

/** The choice fields that must offer what a form of 2025 offers by itself. */
export const listsFor = (form: FormDocument | null): string[] =>
  form === null ? [] : choicesIn(form).flatMap(({ list, values }) => (values.length > 0 ? [list] : []));

/** The options of a choice stand in the JSON half today, as a reference to their list. A choice that would lose options stays. */
const referOptions = (form: FormDocument, options: SiteOptions): Omit<ModernForm, 'document'> => {
  const [modernized, lacking]: [string[], Fault[]] = [[], []];
  for (const { name, field, list, holders, values } of choicesIn(form)) {
    const offered = new Set((options.get(list) ?? []).flatMap(({ value, is_active }) => (is_active ? [value] : [])));
    const lost = values.filter((value) => !offered.has(value));
    const place = ['ui', 'fields', name, 'choices'];
    if (lost.length > 0) {
      const text = `The choice field ${list} lacks options that only this field has: ${lost.join(', ')}; create them there.`;
      lacking.push(fault(place, text));
      continue;
    }
    for (const half of holders) {
      for (const old of ['enum', 'enumNames', 'oneOf']) delete half[old];
      half['anyOf'] = [{ $ref: optionsOf(list) }];
    }
    delete field['choices'];
    modernized.push(note(place, `the options are a reference to ${list}`));
  }
  return { modernized, lacking };
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
  return { document, modernized, lacking: choices.lacking };
};
