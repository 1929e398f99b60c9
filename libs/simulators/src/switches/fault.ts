import type { SimulatedResponse } from '../http/answer.ts';
import { isObject, type Body } from '../json.ts';
import type { TerminalFault } from './fault-registry.ts';

const plainFaults = new Set(['hang', 'reset', 'half_body', 'short_list']);
const itemFaults = new Set(['refuse_item', 'fail_item']);
const moments = new Set(['before', 'marked', 'after', 'late']);

const isStatus = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599;

const scopeProblem = (raw: Body): string | undefined => {
  const { method, path, skip } = raw;
  if (method !== undefined && typeof method !== 'string') return 'method takes a text';
  if (path !== undefined && typeof path !== 'string') return 'path takes a text';
  return skip === undefined || (Number.isInteger(skip) && Number(skip) >= 0) ? undefined : 'skip takes a whole number';
};

const problemOf = (raw: Body): string | undefined => {
  const { fault } = raw;
  if (raw['count'] !== undefined && !(Number.isInteger(raw['count']) && Number(raw['count']) > 0))
    return 'count takes a whole number above 0';
  if (raw['when'] !== undefined && !moments.has(String(raw['when']))) return 'when takes before, marked, after or late';
  if (raw['body'] !== undefined && typeof raw['body'] !== 'string')
    return 'body takes a text, such as JSON in a string';
  if (fault === 'status') return isStatus(raw['status']) ? undefined : 'status takes 200 to 599';
  if (fault === 'slow') return typeof raw['ms'] === 'number' && raw['ms'] >= 0 ? undefined : 'ms takes a number';
  if (itemFaults.has(String(fault)))
    return raw['field'] === undefined && !isObject(raw['fields'])
      ? `${String(fault)} takes field or fields`
      : undefined;
  return plainFaults.has(String(fault)) ? undefined : `no such fault: ${String(fault)}`;
};

/** Reads a switch from JSON: the switch, or a sentence about what is wrong. */
export const parseSwitch = (raw: unknown): Switch | string => {
  if (!isObject(raw)) return 'a switch is an object';
  return scopeProblem(raw) ?? problemOf(raw) ?? (raw as unknown as Switch);
};

/** A gateway words its refusals otherwise than the platform behind it. */
const memberOf = (status: number): string => (status === 401 || status === 403 ? 'message' : 'detail');

/** When a fault strikes. */
export const whenOf = (fault: TerminalFault): When =>
  fault.fault === 'half_body' || fault.fault === 'short_list' ? 'after' : (fault.when ?? 'before');

/**
 * The answer that a fault makes. `good` is the answer that would have been given; only half of it leaves with `half_body`.
 * The status of an answer that never leaves is 0.
 */
export const faultyAnswer = (fault: TerminalFault, good?: SimulatedResponse): SimulatedResponse => {
  if (fault.fault === 'half_body') return { status: 200, ...good, delivery: 'half' };
  // Known to lists of items alone, which cut themselves.
  if (fault.fault === 'short_list') return good ?? { status: 200 };
  if (fault.fault !== 'status') return { status: 0, delivery: fault.fault };
  return {
    status: fault.status,
    headers: {
      'content-type': 'application/json',
      ...(fault.retry_after === undefined ? {} : { 'retry-after': String(fault.retry_after) }),
      ...fault.headers,
    },
    body: fault.body ?? JSON.stringify({ [memberOf(fault.status)]: `Simulated ${fault.status}.` }),
  };
};

/**
 * Where in the handling a fault strikes: before anything is done, after the dedup mark was set but nothing stored (a repeat is then
 * answered 200 and lost), or after everything was done. `late`: the answer leaves first, the work is done `late_ms` later.
 */
export type When = 'before' | 'marked' | 'after' | 'late';

/** Answer with a status of our choice. */
export interface StatusFault {
  readonly fault: 'status';
  readonly status: number;
  /** Seconds or an HTTP date, as a `Retry-After` header. */
  readonly retry_after?: number | string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `before`. */
  readonly when?: When;
  /** Milliseconds after the answer, with `late`; known to the site. */
  readonly late_ms?: number;
}

/** Never answer, or break the connection. */
export interface ConnectionFault {
  readonly fault: 'hang' | 'reset';
  /** Default `before`. */
  readonly when?: When;
}

/** Do everything, then send half of the answer. */
export interface HalfFault {
  readonly fault: 'half_body';
}

/** Wait before handling. */
export interface SlowFault {
  readonly fault: 'slow';
  readonly ms: number;
}

/** Refuse single items with 400: those with a value in a field (a dotted path), or in several. */
export interface ItemFault {
  readonly fault: 'refuse_item';
  readonly field?: string;
  readonly equals?: unknown;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Fail with 500 on every list that holds one of these items, before anything of it is stored. */
export interface FailItemFault extends Omit<ItemFault, 'fault'> {
  readonly fault: 'fail_item';
}

/** Store the first half of a list alone, and answer 200 with that half. */
export interface ShortListFault {
  readonly fault: 'short_list';
}

/** Effect of a switch. */
export type Fault = StatusFault | ConnectionFault | HalfFault | SlowFault | ItemFault | FailItemFault | ShortListFault;

/** Which requests a switch touches, and how many of them. */
interface Scope {
  /** Name of an endpoint, or `sensors` for all that take items; all endpoints when left out. */
  readonly endpoint?: string;
  /** Integration id; all when left out. */
  readonly integration?: string;
  /** Method, as `POST`; all when left out. */
  readonly method?: string;
  /** Path, with `*` for any number of characters; all when left out. Known to simulators whose endpoints have no names. */
  readonly path?: string;
  /** Requests that pass before the first one is struck; default 0. */
  readonly skip?: number;
  /** How many requests (items, for `refuse_item` and `fail_item`); until cleared when left out. */
  readonly count?: number;
}

/** A switch to set. */
export type Switch = Fault & Scope;

/** A switch that is on. */
export type ActiveSwitch = Switch & { readonly id: string; readonly used: number };
