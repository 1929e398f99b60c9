import { isObject } from '../../json.ts';
import type { SiteStore } from '../state/store.ts';

const choiceReference = /^\/api\/v2\.0\/schemas\/choices\.json\?field=(.+)$/;

/** The active options of a field, as the site inlines them. */
const optionsOf = (store: SiteStore, field: string): { enum: string[]; 'x-enumExtra': object } => {
  const ids = [...(store.choiceIndex.fields.get(field) ?? [])];
  const choices = ids.flatMap((id) => store.choices.get(id) ?? []).filter(({ is_active }) => is_active);
  return {
    enum: choices.map(({ value }) => value),
    'x-enumExtra': Object.fromEntries(choices.map(({ value, display }) => [value, { title: display }])),
  };
};

const fieldOf = (options: unknown): string | undefined => {
  const [first] = Array.isArray(options) ? (options as readonly unknown[]) : [];
  const reference = isObject(first) ? first['$ref'] : undefined;
  return typeof reference === 'string' ? choiceReference.exec(reference)?.[1] : undefined;
};

/** The document with all options in place of the references: what `pre_render=true` shows (site contract, section 5). */
export const rendered = (store: SiteStore, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => rendered(store, item));
  if (!isObject(value)) return value;
  const { anyOf, ...rest } = value;
  const field = fieldOf(anyOf);
  if (field !== undefined) return { ...rest, ...optionsOf(store, field) };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rendered(store, member)]));
};
