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

/** Refuse single items with 400: the nth that arrives (1-based), or those with a value in a field (a dotted path), or in several. */
export interface ItemFault {
  readonly fault: 'refuse_item';
  readonly nth?: number;
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

/** What a switch does. */
export type Fault = StatusFault | ConnectionFault | HalfFault | SlowFault | ItemFault | FailItemFault | ShortListFault;

/** Which requests a switch touches, and how many of them. */
export interface Scope {
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
