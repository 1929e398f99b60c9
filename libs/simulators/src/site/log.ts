import type { Clock } from '../time/clock.ts';

/** One request to the site, control requests and the page left out. */
export interface LogEntry {
  /** From 1, in order of arrival. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** Without `?`; empty when there is none. */
  readonly query: string;
  readonly accept: string | null;
  readonly content_type: string | null;
  /** The body's JSON, its text when it is no JSON, null when there is none. */
  readonly body: unknown;
  /** Owner of the token; null without one or with an unknown one. */
  readonly username: string | null;
  /** Status that was sent; 0 when no answer left, null while there is none yet. */
  readonly status: number | null;
  /** Status of what was done, also when another answer or none was sent; null when nothing was done. */
  readonly handled: number | null;
}

/** Facts of a request that are known after its arrival. */
export type LogChange = Partial<Pick<LogEntry, 'body' | 'username' | 'status' | 'handled'>>;

/** A request under way. */
export interface LogTicket {
  note(change: LogChange): void;
  /** The answer has left, or the connection ended. */
  end(): void;
}

/** The requests that the site was sent. */
export interface RequestLog {
  begin(request: Pick<LogEntry, 'method' | 'path' | 'query' | 'accept' | 'content_type'>): LogTicket;
  /** In order of arrival; the oldest are forgotten beyond the limit. */
  entries(): readonly LogEntry[];
  /** Those that were not GET. */
  writes(): readonly LogEntry[];
  /** Requests under way now. */
  inFlight(): number;
  /** Forgets everything but the requests under way; numbers go on. */
  clear(): void;
}

/** Makes an empty log of at most `limit` entries. */
export const createRequestLog = (clock: Clock, limit: number): RequestLog => {
  let entries: LogEntry[] = [];
  let seq = 0;
  let inFlight = 0;
  return {
    begin(request) {
      inFlight += 1;
      seq += 1;
      const unknown = { body: null, username: null, status: null, handled: null };
      const entry: LogEntry = { seq, at: clock.now(), ...request, ...unknown };
      entries.push(entry);
      if (entries.length > limit * 1.25) entries = entries.slice(-limit);
      let ended = false;
      return {
        note: (change) => void Object.assign(entry, change),
        end() {
          if (!ended) inFlight -= 1;
          ended = true;
        },
      };
    },
    entries: () => entries,
    writes: () => entries.filter(({ method }) => method !== 'GET' && method !== 'OPTIONS'),
    inFlight: () => inFlight,
    clear: () => void (entries = []),
  };
};
