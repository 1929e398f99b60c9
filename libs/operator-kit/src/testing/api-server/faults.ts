/**
 * What happens to a request: answered with a status, never answered until released (`hold`), cut off before or after it was carried out
 * (`reset`, `lost`), or answered with half of the answer (`half`).
 */
export type RequestFault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number; readonly reason?: string }
  | { readonly kind: 'hold' | 'reset' | 'lost' | 'half' };

/**
 * What happens to an event of a watch: cut in the middle with the connection, told twice, told again after the next one (`repeat`), garbled
 * (`garbage`), kept back like everything after it (`swallow`), replaced by the error 410 (`gone`) or another one (`error`), or by the end
 * of the stream (`end`), or delivered byte by byte (`slices`).
 */
export type EventFault = 'cut' | 'twice' | 'repeat' | 'garbage' | 'swallow' | 'gone' | 'error' | 'end' | 'slices';

/** Which requests are meant. */
export interface RequestScope {
  readonly method?: string;
  /** Part of the path. */
  readonly path?: string;
  readonly watch?: boolean;
  /** How many; one when left out. */
  readonly count?: number;
}

/** What is known about a request. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly watch: boolean;
}

/** The faults that are to come. */
export interface Faults {
  onRequest(fault: RequestFault, scope?: RequestScope): void;
  onEvent(fault: EventFault, count?: number): void;
  nextFor(request: RequestFacts): RequestFault | undefined;
  nextForEvent(): EventFault | undefined;
  clear(): void;
}

/** Makes an empty list of faults. */
export const createFaults = (): Faults => {
  let requests: { readonly fault: RequestFault; readonly scope: RequestScope; left: number }[] = [];
  let events: EventFault[] = [];
  return {
    onRequest: (fault, scope = {}) => void requests.push({ fault, scope, left: scope.count ?? 1 }),
    onEvent: (fault, count = 1) => void events.push(...Array.from({ length: count }, () => fault)),
    nextFor({ method, path, watch }) {
      const found = requests.find(
        ({ scope, left }) =>
          left > 0 &&
          (scope.method ?? method) === method &&
          path.includes(scope.path ?? '') &&
          (scope.watch ?? watch) === watch,
      );
      if (found) found.left -= 1;
      return found?.fault;
    },
    nextForEvent: () => events.shift(),
    clear() {
      requests = [];
      events = [];
    },
  };
};
