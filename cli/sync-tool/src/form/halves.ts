import { equalJson, isMembers, member, type Members } from './json.ts';
import { jsonHalf, kindOfJson, type Kind } from './kinds.ts';
import type { FormField, FormKind } from './model.ts';
import { plannedJson, plannedUi } from './planned.ts';
import { uiHalf, uiTypeOf, type UiType } from './ui-kinds.ts';

const kinds: Record<FormKind, { readonly json: Kind; readonly ui: UiType }> = {
  'text-long': { json: 'text', ui: 'TEXT' },
  'text-short': { json: 'text', ui: 'TEXT' },
  number: { json: 'number', ui: 'NUMERIC' },
  boolean: { json: 'boolean', ui: 'BOOLEAN' },
  date: { json: 'date', ui: 'DATE_TIME' },
  choice: { json: 'choice', ui: 'CHOICE_LIST' },
};

/** The kind that the json half of one of our fields has to be of. */
export const jsonKindOf = ({ kind }: FormField): Kind => kinds[kind].json;

/** Members of the stored half that the planned kind has too and that are as it wants them. */
const fitting = (stored: unknown, shape: Readonly<Record<string, unknown>>, planned: Members): Members => {
  const names = Object.keys(isMembers(stored) ? stored : {}).filter((name) => Object.hasOwn(shape, name));
  const fits = (name: string): boolean => {
    const type = shape[name] as { safeParse(value: unknown): { success: boolean } };
    return type.safeParse(member(stored, name)).success;
  };
  const kept = names.filter((name) => fits(name) && (name !== 'anyOf' || !Object.hasOwn(planned, 'anyOf')));
  return Object.fromEntries(kept.map((name) => [name, member(stored, name)]));
};

const hasItsOptions = (stored: Members, planned: Members): boolean =>
  equalJson(stored['anyOf'], planned['anyOf']) &&
  !Object.hasOwn(stored, 'enum') &&
  !Object.hasOwn(stored, 'x-enumExtra');

/**
 * The json half of a field of ours as it has to be: the stored one itself when its kind and its reference are right, else one of the
 * right kind that keeps everything of it that fits (site contract, 5.3, rule 3).
 */
export const rightJson = (field: FormField, stored: unknown): Members => {
  const planned = plannedJson(field);
  const kind = jsonKindOf(field);
  if (isMembers(stored) && kindOfJson(stored) === kind && (kind !== 'choice' || hasItsOptions(stored, planned)))
    return stored;
  const { description: _, ...needed } = planned;
  return { ...needed, ...fitting(stored, jsonHalf(kind, planned).shape, planned) };
};

/** The ui half of a field of ours as it has to be, as {@link rightJson}; one without a parent gets `parent`. */
export const rightUi = (field: FormField, stored: unknown, parent: string): Members => {
  const type = kinds[field.kind].ui;
  if (isMembers(stored) && uiTypeOf(stored) === type) return stored;
  const planned = plannedUi(field, parent);
  return { ...planned, ...fitting(stored, uiHalf(type).shape, planned) };
};
