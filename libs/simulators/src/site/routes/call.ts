import { isObject, notAnObject, type Body } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { failed, refused } from '../answers/envelope.ts';
import type { Clock } from '../../time/clock.ts';
import type { Arrivals } from '../arrivals.ts';
import { pageOfRows, rowsOf } from '../answers/paging.ts';
import type { Needs } from '../permissions.ts';
import type { Token } from '../state/records.ts';
import type { SiteStore } from '../state/store.ts';
import type { SiteSwitches } from '../switches.ts';
import type { Upload } from './multipart.ts';

/** Dependencies of all routes. */
export interface SiteDependencies {
  readonly clock: Clock;
  readonly store: SiteStore;
  readonly arrivals: Arrivals;
  /** A UUID that no record has. */
  readonly newId: () => string;
}

/** A request that found its route and may use it. */
export interface Call extends SiteDependencies {
  readonly switches: SiteSwitches;
  readonly token: Token;
  /** Whole. */
  readonly path: string;
  /** Captured part of the route's path, decoded; empty without a capture. */
  readonly key: string;
  readonly query: URLSearchParams;
  /** `host:port` under which the site was called. */
  readonly host: string;
  /** The JSON of the body; undefined when there is none. */
  readonly body: unknown;
  /** A body of parts, on routes that take files. */
  readonly upload?: Upload;
}

/** Answers a call; whatever it changes is changed when it returns. */
export type Run = (call: Call) => SimulatedResponse;

/**
 * A method on a path: below `/api/v1.0/`, or a whole one that begins with a slash; the last slash of a request is optional. Without `needs`
 * any known token will do.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: RegExp;
  readonly needs?: Needs;
  /** Whether the site has the method there; default: it has. */
  readonly isThere?: (switches: SiteSwitches) => boolean;
  /** Whether its body has parts; else it is JSON. */
  readonly takesFiles?: boolean;
  readonly run: Run;
}

/** Whether a query parameter is `true`. */
export const asks = ({ query }: Call, name: string): boolean => query.get(name)?.toLowerCase() === 'true';

/** Runs with the body when it is an object; else 400. */
export const withObject =
  (run: (call: Call, body: Body) => SimulatedResponse): Run =>
  (call) =>
    isObject(call.body) ? run(call, call.body) : failed(400, notAnObject);

/** One page of rows by their numbers; without `unbounded` cut to the largest page. */
export const pageOf = <T extends { readonly id: string }>(
  call: Call,
  rows: readonly T[],
  show: (row: T) => unknown,
  unbounded = false,
): SimulatedResponse => pageOfRows({ rows: rowsOf(rows), placeOf: ({ id }) => [0, id], unbounded }, call, show);

/** Parameters of a list that every list takes. */
const pageNames = ['page', 'page_size', 'offset', 'cursor', 'use_cursor'];

/** Runs with known parameters, else 400; those of paging are known to all that are `paged`. */
export const withParameters =
  (names: readonly string[], paged: boolean, run: Run): Run =>
  (call) => {
    const known = new Set(paged ? names.concat(pageNames) : names);
    const strange = [...call.query.keys()].find((name) => !known.has(name));
    return strange === undefined ? run(call) : refused({ [strange]: ['This parameter is not known.'] });
  };

const isoForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[+-]\d{2}:\d{2})?$/;

/** The time of a row, ms since 1970; one without an offset is UTC, wherever the machine is. */
export const timeOf = (text: string): number => Date.parse(/T[^Z+-]*$/.test(text) ? `${text}Z` : text);

/** An instant of a query, ms since 1970; undefined when it is none. */
export const instantOf = (text: unknown): number | undefined => {
  if (typeof text !== 'string' || !isoForm.test(text)) return undefined;
  const ms = timeOf(text);
  return Number.isNaN(ms) ? undefined : ms;
};

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is an id of the site. */
export const isId = (text: string): boolean => idForm.test(text);
