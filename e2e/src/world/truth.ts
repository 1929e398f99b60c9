import type { SourceEvent } from '@ranger-relay/contracts';
import type { SeenEntry } from '@ranger-relay/simulators';

/** An item that must reach the platform: of an acknowledged event, or of a row of a site. */
export interface Owed {
  readonly integration: string;
  readonly kind: 'observation' | 'message';
  readonly source: string;
  /** Time of the event, ms since 1970; a source has one event at a time. */
  readonly at: number;
  /** Position in the order of its source; null when none is promised. */
  readonly order: number | null;
  readonly sos: boolean;
}

/** Names an item. */
export const nameOf = (kind: string, integration: string, source: string, at: number): string =>
  `${kind} ${integration.slice(0, 8)} ${source} ${at}`;

/** An invariant that does not hold. */
export interface Violation {
  readonly rule:
    'lost' | 'order' | 'message first' | 'repeated' | 'text lost' | 'text twice' | 'stuck' | 'unhandled' | 'secret';
  readonly what: string;
  /** Texts in the payloads that its story is about. */
  readonly about: readonly string[];
}

/** Sees what the platform stores, and compares it with what it must have. */
export interface Truth {
  owe(items: readonly Owed[]): void;
  /** Takes lines of the platform's ingest log, in order. */
  see(entries: readonly SeenEntry[]): void;
  /** Takes an event that was dead-lettered: people know of it. */
  deadLettered(event: Pick<SourceEvent, 'integration_id' | 'source' | 'observation' | 'message'>): void;
  /** Items that are owed, and neither stored nor dead-lettered. */
  missing(): readonly Owed[];
  /** Whether nothing is missing. */
  complete(): boolean;
  readonly counts: { repeats: number; deadLettered: number };
  /** What was wrong so far, except what is missing. */
  readonly violations: Violation[];
}

interface Item {
  readonly source?: string;
  readonly recorded_at?: string;
}

/** A source of the site whose look-up failed is named by its id there. */
const knownSource = (source: string): string => source.replace(/^site-src-5000000(\d)-.*$/, 'COLLAR-$1');

/** A time in which something went wrong, ms since 1970. */
export interface Trouble {
  readonly from: number;
  readonly to: number;
  /** The store lost its marks at the beginning, or did not answer meanwhile. */
  readonly store: 'lost' | 'away' | null;
}

/** A mark of an item that was accepted may be missing when something went wrong so shortly before or after, ms. */
const [beforeMs, afterMs] = [60_000, 120_000];

/** Whether a trouble explains that an item that was accepted at one time came again at another. */
const explains = ({ from, to, store }: Trouble, acceptedAt: number, again: number): boolean =>
  (store === 'lost' && from > acceptedAt && from <= again) ||
  (store === 'away' && from <= again && to >= again - afterMs) ||
  (from <= acceptedAt + afterMs && to >= acceptedAt - beforeMs);

const explainedBy = (troubles: readonly Trouble[]) => {
  let maxMs = 0;
  let measured = 0;
  return (acceptedAt: number, again: number): boolean => {
    for (; measured < troubles.length; measured += 1) {
      const { from, to } = troubles[measured] as Trouble;
      maxMs = Math.max(maxMs, to - from);
    }
    // They are in order of their beginnings: what began before this is over for too long.
    const least = acceptedAt - maxMs - afterMs;
    for (let n = troubles.length - 1; n >= 0; n -= 1) {
      const trouble = troubles[n] as Trouble;
      if (trouble.from < least) return false;
      if (explains(trouble, acceptedAt, again)) return true;
    }
    return false;
  };
};

/** Creates the record of what must be where. The list of troubles may grow. */
export const createTruth = (troubles: readonly Trouble[]): Truth => {
  const mayRepeat = explainedBy(troubles);
  const owed = new Map<string, Owed>();
  const missing = new Map<string, Owed>();
  const givenUp = new Set<string>();
  const stored = new Set<string>();
  const accepted = new Map<string, number>();
  const newest = new Map<string, number>();
  const observed = new Set<string>();
  const violations: Violation[] = [];
  const counts = { repeats: 0, deadLettered: 0 };

  const firstStored = (name: string, entry: SeenEntry, source: string): void => {
    const item = owed.get(name);
    owed.delete(name);
    missing.delete(name);
    if (!item || item.order === null || item.sos) return;
    const line = `${entry.kind} ${item.integration} ${source}`;
    const before = newest.get(line) ?? -1;
    if (item.order < before)
      violations.push({ rule: 'order', what: `${name} came after event ${before}`, about: [source] });
    newest.set(line, Math.max(before, item.order));
    if (entry.kind === 'observation') observed.add(source);
    else if (!observed.has(source))
      violations.push({ rule: 'message first', what: `${name} came before any observation`, about: [source] });
  };

  const accept = (name: string, entry: SeenEntry, source: string): void => {
    const before = accepted.get(name);
    if (before !== undefined) {
      counts.repeats += 1;
      if (!mayRepeat(before, entry.at))
        violations.push({
          rule: 'repeated',
          what: `${name}: accepted at ${before}, again at ${entry.at}`,
          about: [source],
        });
    }
    accepted.set(name, entry.at);
  };

  return {
    counts,
    violations,
    missing: () => [...missing.values()],
    complete: () => missing.size === 0,
    owe(items) {
      for (const item of items) {
        const name = nameOf(item.kind, item.integration, item.source, item.at);
        if (owed.has(name) || stored.has(name)) continue;
        owed.set(name, item);
        if (!givenUp.has(name)) missing.set(name, item);
      }
    },
    deadLettered({ integration_id: integration, source, observation, message }) {
      counts.deadLettered += 1;
      for (const [kind, item] of [
        ['observation', observation],
        ['message', message],
      ] as const)
        if (item) {
          const name = nameOf(kind, integration, source, Date.parse(item.recorded_at));
          missing.delete(name);
          givenUp.add(name);
        }
    },
    see(entries) {
      for (const entry of entries) {
        if (entry.integration === null || (entry.kind !== 'observation' && entry.kind !== 'message')) continue;
        const { source: given = '', recorded_at = '' } = entry.item as Item;
        const source = knownSource(given);
        const name = nameOf(entry.kind, entry.integration, source, Date.parse(recorded_at));
        if (entry.outcome === 'stored' && !stored.has(name)) {
          stored.add(name);
          firstStored(name, entry, source);
        }
        if (entry.status === 200 && (entry.outcome === 'stored' || entry.outcome === 'duplicate'))
          accept(name, entry, source);
      }
    },
  };
};
