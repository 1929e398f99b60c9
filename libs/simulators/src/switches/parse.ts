import type { Switch } from './fault.ts';

const plainFaults = new Set(['hang', 'reset', 'half_body', 'short_list']);
const itemFaults = new Set(['refuse_item', 'fail_item']);
const moments = new Set(['before', 'marked', 'after', 'late']);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isStatus = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599;

const scopeProblem = (raw: Record<string, unknown>): string | undefined => {
  const { method, path, skip } = raw;
  if (method !== undefined && typeof method !== 'string') return 'method takes a text';
  if (path !== undefined && typeof path !== 'string') return 'path takes a text';
  return skip === undefined || (Number.isInteger(skip) && Number(skip) >= 0) ? undefined : 'skip takes a whole number';
};

const problemOf = (raw: Record<string, unknown>): string | undefined => {
  const { fault } = raw;
  if (raw['count'] !== undefined && !(Number.isInteger(raw['count']) && Number(raw['count']) > 0))
    return 'count takes a whole number above 0';
  if (raw['when'] !== undefined && !moments.has(String(raw['when']))) return 'when takes before, marked, after or late';
  if (fault === 'status') return isStatus(raw['status']) ? undefined : 'status takes 200 to 599';
  if (fault === 'slow') return typeof raw['ms'] === 'number' && raw['ms'] >= 0 ? undefined : 'ms takes a number';
  if (itemFaults.has(String(fault)))
    return raw['nth'] === undefined && raw['field'] === undefined && !isObject(raw['fields'])
      ? `${String(fault)} takes nth, field or fields`
      : undefined;
  return plainFaults.has(String(fault)) ? undefined : `no such fault: ${String(fault)}`;
};

/** Reads a switch from JSON: the switch, or a sentence about what is wrong. */
export const parseSwitch = (raw: unknown): Switch | string => {
  if (!isObject(raw)) return 'a switch is an object';
  return scopeProblem(raw) ?? problemOf(raw) ?? (raw as unknown as Switch);
};
