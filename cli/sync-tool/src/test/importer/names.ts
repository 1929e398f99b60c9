import { createHash } from 'node:crypto';
import type { Attribute, ImportBundle, Labelled, Transport } from './bundle.ts';

/**
 * The names that the importer computes from an exported bundle (contract of the exported bundle, 2 and 7). They are written a second time on
 * purpose: nothing here comes from the product, which is to agree with it to the letter.
 */

/** A key as values hold it. */
export const slug = (key: string): string => {
  const words = key.split(/[^A-Za-z0-9]/).filter((word) => word !== '');
  return words.length === 0 ? '_' : words.join('_').toLowerCase();
};

/** A uuid without its dashes. */
export const bare = (uuid: string): string => uuid.split('-').join('').toLowerCase();

/** Values of the patrol types, by uuid of the transport. */
export const typeValues = (transports: readonly Transport[]): ReadonlyMap<string, string> => {
  const values = new Map<string, string>();
  const taken = new Set<string>();
  for (const { uuid, key } of transports) {
    const whole = `patrol_${slug(key ?? uuid)}`;
    let value = whole.slice(0, 50);
    for (let number = 2; taken.has(value); number += 1) {
      const end = `_${number}`;
      value = whole.slice(0, 50 - end.length) + end;
    }
    taken.add(value);
    values.set(uuid, value);
  }
  return values;
};

/** Form field of an attribute. */
export const fieldName = (word: string, { key }: Attribute): string => `${word}_${slug(key)}`;

/** Choice field of an attribute's options; one of the form's own fields cannot be told from it. */
export const choiceField = ({ key }: Attribute): string => {
  const field = `patrol_${slug(key)}`;
  if (field.length <= 40) return field;
  return `${field.slice(0, 31)}_${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
};

/** Value of an option or a mandate. */
export const optionValue = ({ key, uuid }: { readonly key: string | null; readonly uuid: string }): string =>
  key === null ? bare(uuid) : slug(key);

const filled = (text: string | null | undefined): text is string => typeof text === 'string' && text !== '';

/** Display text: of the language, the default language, `label`, any language; then the fallback. */
export const display = (
  { labels, label }: Labelled,
  { manifest: { default_language: byDefault } }: ImportBundle,
  language: string,
  fallback: string,
): string =>
  [labels[language], labels[byDefault], label, ...Object.values(labels)].find((text) => filled(text)) ?? fallback;

const capital = (key: string): string => key.toLowerCase().replace(/(^|[^a-z])([a-z])/g, (text) => text.toUpperCase());

/** Options of the classes: the four known ones always, in alphabetical order. */
export const classOptions = ({ reference }: ImportBundle) => {
  const known = ['AIR', 'GROUND', 'MARINE', 'MIXED'];
  const active = new Map(reference.patrol_types.map((type) => [type.key.toLowerCase(), type.active]));
  return [...new Set([...known, ...reference.patrol_types.map(({ key }) => key)].map((key) => key.toLowerCase()))]
    .filter((value) => /^\w+$/.test(value))
    .sort()
    .map((value) => ({ value, display: capital(value), is_active: active.get(value) ?? false }));
};

/** Members of `additional` that identify a subject. */
export const identityNames = (word: string) => ({
  member: `${word}_member_id`,
  employee: `${word}_employee_id`,
  area: `${word}_ca_uuid`,
});

/** Name of a team that patrols name and the bundle does not. */
export const unlistedTeam = (word: string, uuid: string): string =>
  `${word.toUpperCase()} team ${bare(uuid).slice(0, 8)}`;

/** Type of the events of a category: `wildlife.sighting.` becomes `ext-ca-import_wildlife_sighting`. */
export const eventType = (word: string, path: string): string => `${word}-ca-import_${slug(path)}`;
