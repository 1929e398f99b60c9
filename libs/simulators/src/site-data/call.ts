import type { SimulatedResponse } from '../http/answer.ts';
import { failed, refused } from '../site/answers/envelope.ts';
import type { PageCall } from './paging.ts';
import type { SiteData, User } from './records.ts';

/** Parameters of a list that every list takes. */
const pageNames = ['page', 'page_size', 'offset', 'cursor', 'use_cursor'];

/** 400 for a parameter that the route does not know; paging is known to all of `paged`. */
export const unknownParameter = (
  query: URLSearchParams,
  names: readonly string[],
  paged = false,
): SimulatedResponse | undefined => {
  const known = new Set(paged ? names.concat(pageNames) : names);
  const strange = [...query.keys()].find((name) => !known.has(name));
  return strange === undefined ? undefined : refused({ [strange]: ['This parameter is not known.'] });
};

const isoForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[+-]\d{2}:\d{2})$/;

/** An instant with an offset, ms since 1970; undefined when it is none. */
export const instantOf = (text: unknown): number | undefined => {
  if (typeof text !== 'string' || !isoForm.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
};

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is an id of the site. */
export const isId = (text: string): boolean => idForm.test(text);

/** Ids in one parameter, separated by commas: 400 when there are none, too many or one is no id. */
export const idsOf = (query: URLSearchParams, name: string, most: number): readonly string[] | SimulatedResponse => {
  const ids = (query.get(name) ?? '').split(',').filter((id) => id !== '');
  if (ids.length === 0 || ids.length > most) return failed(400, `${name} takes 1 to ${most} ids`);
  return ids.every(isId) ? ids : failed(400, `${name} holds what is no id`);
};

/** Rows that need not exist before they are looked at. */
export interface Rows<T> {
  readonly length: number;
  /** @param index 0 to length - 1 */
  at(index: number): T;
}

/** The rows of an array. */
export const rowsOf = <T>(list: readonly T[]): Rows<T> => ({
  length: list.length,
  at: (index) => list[index] as T,
});

/** From the last to the first. */
export const reversed = <T>({ length, at }: Rows<T>): Rows<T> => ({ length, at: (index) => at(length - 1 - index) });

/** One authorised GET. */
export interface DataCall extends PageCall {
  readonly data: SiteData;
  readonly user: User;
  /** What the route's pattern took out of the path. */
  readonly key: string;
  /** By the machine's clock, ms since 1970. */
  readonly now: number;
  /** How far the site's own clock stands from it. */
  readonly offsetMs: number;
}

/** Answers one kind of call. */
export type DataRoute = (call: DataCall) => SimulatedResponse;
