import type { SimulatedResponse } from '../../http/answer.ts';
import type { Random } from '../../time/random.ts';
import { failed } from '../answers/envelope.ts';
import { isObject, type Body } from '../answers/fields.ts';
import { paged } from '../answers/paging.ts';
import type { Needs } from '../permissions.ts';
import type { Token } from '../state/records.ts';
import type { SiteStore } from '../state/store.ts';
import type { SiteSwitches } from '../switches.ts';

/** What all routes work with. */
export interface SiteDependencies {
  readonly store: SiteStore;
  /** A UUID that no record has. */
  readonly newId: () => string;
  /** Decides what has no order of its own. */
  readonly shuffle: Random;
}

/** A request that found its route and may use it. */
export interface Call extends SiteDependencies {
  readonly switches: SiteSwitches;
  readonly token: Token;
  /** Below `/api/v1.0/` too. */
  readonly path: string;
  /** What the route's path caught, decoded; empty when it catches nothing. */
  readonly key: string;
  readonly query: URLSearchParams;
  /** `host:port` under which the site was called. */
  readonly host: string;
  /** The JSON of the body; undefined when there is none. */
  readonly body: unknown;
}

/** Answers a call; whatever it changes is changed when it returns. */
export type Run = (call: Call) => SimulatedResponse;

/** A method on a path below `/api/v1.0/`. Without `needs` any known token will do. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: RegExp;
  readonly needs?: Needs;
  readonly run: Run;
}

/** Whether a query parameter is `true`. */
export const asks = ({ query }: Call, name: string): boolean => query.get(name)?.toLowerCase() === 'true';

/** Runs with the body when it is an object; else 400. */
export const withObject =
  (run: (call: Call, body: Body) => SimulatedResponse): Run =>
  (call) =>
    isObject(call.body) ? run(call, call.body) : failed(400, 'Invalid data. Expected a dictionary.');

/** One page of rows, cut to `most` rows. */
export const pageOf = <T>(
  call: Call,
  rows: readonly T[],
  show: (row: T) => unknown,
  most?: number,
): SimulatedResponse =>
  paged(rows, { ...call, nextLink: call.switches.next_link, ...(most === undefined ? {} : { most }) }, show);
