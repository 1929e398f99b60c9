import type { Arrival, ItemKind, Outcome } from './ingest-log.ts';

/** Counts of items by what became of them; `arrived` is their sum. */
export type ItemCounts = Record<'arrived' | Outcome, number>;

/** Events of one integration. */
export type IntegrationCounts = Partial<Record<ItemKind, ItemCounts>>;

/** Everything that was counted since the start (items: since the state file began). */
export interface PlatformStats {
  /** Requests by endpoint. */
  readonly calls: Readonly<Record<string, number>>;
  /** Answers by endpoint and status, as `token 200`; status 0 is an answer that never left. */
  readonly answers: Readonly<Record<string, number>>;
  readonly items: IntegrationCounts;
  /** By integration id; `-` for items with a key of no integration. */
  readonly integrations: Readonly<Record<string, IntegrationCounts>>;
  /** Misbehaviour of the caller that a strict platform does not answer with an error. */
  readonly violations: Readonly<Record<string, number>>;
  readonly largest_chunk: number;
}

/** Counts as things happen. */
export interface Counting {
  call(endpoint: string): void;
  answer(endpoint: string, status: number): void;
  item(arrival: Pick<Arrival, 'integration' | 'kind' | 'outcome'>): void;
  chunk(length: number): void;
  violation(name: string): void;
  read(): PlatformStats;
}

const emptyCounts = (): ItemCounts => ({ arrived: 0, stored: 0, duplicate: 0, marked: 0, refused: 0, failed: 0 });

const bump = (counts: Record<string, number>, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1;
};

const count = (counts: IntegrationCounts, kind: ItemKind, outcome: Outcome): void => {
  const mine = (counts[kind] ??= emptyCounts());
  mine.arrived += 1;
  mine[outcome] += 1;
};

/** Makes counters at zero. */
export const createCounting = (): Counting => {
  const calls: Record<string, number> = {};
  const answers: Record<string, number> = {};
  const violations: Record<string, number> = {};
  const integrations: Record<string, IntegrationCounts> = {};
  const items: IntegrationCounts = {};
  let largest = 0;
  return {
    call: (endpoint) => bump(calls, endpoint),
    answer: (endpoint, status) => bump(answers, `${endpoint} ${status}`),
    violation: (name) => bump(violations, name),
    chunk: (length) => void (largest = Math.max(largest, length)),
    item({ integration, kind, outcome }) {
      count(items, kind, outcome);
      count((integrations[integration ?? '-'] ??= {}), kind, outcome);
    },
    read: () => structuredClone({ calls, answers, items, integrations, violations, largest_chunk: largest }),
  };
};
