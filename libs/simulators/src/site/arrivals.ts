import type { Clock } from '../time/clock.ts';
import type { Event, Observation } from './state/records.ts';
import type { SiteStore } from './state/store.ts';

/** Rows as devices and phones send them; the site stamps them when they come. */
export interface NewRows {
  readonly observations?: readonly Observation[];
  /** One with the id of an event that is there replaces it: an edit. */
  readonly events?: readonly (Omit<Event, 'created_at' | 'updated_at'> & { readonly created_at?: string })[];
}

/** When rows come. */
export interface ArrivalTimes {
  /** From now until the site gets and stamps them, ms. */
  readonly afterMs?: number;
  /** From then until a reader can see them, ms: their transaction commits so late, others of later stamps meanwhile. */
  readonly commitMs?: number;
}

/** Rows on their way to a site. */
export interface Arrivals {
  add(rows: NewRows, times?: ArrivalTimes): void;
  /** Changes some events that are there, as people do who work on them. */
  editSome(count: number): void;
  /** Moves what has come into the tables; called before each answer, and before the clock is set. */
  settle(): void;
}

interface Pending {
  readonly rows: NewRows;
  readonly savedAt: number;
  readonly shownAt: number;
  stamp?: string;
}

/** Offset of the site's clock from the machine's, ms. */
export const offsetOf = ({ settings }: SiteStore): number => settings.switches.clock_offset_s * 1_000;

/** An instant of the machine's clock, ms since 1970, as the site stamps it by its own. */
export const stampOf = (store: SiteStore, at: number): string => new Date(at + offsetOf(store)).toISOString();

/** Makes the arrivals of a site. */
export const createArrivals = (clock: Clock, store: SiteStore): Arrivals => {
  let pending: Pending[] = [];
  let edited = 0;

  const show = ({ rows: { observations = [], events = [] }, stamp = '' }: Pending): void => {
    const came = observations.map((row) => Object.assign({}, row, { created_at: stamp }));
    const changed = events.map(
      (row) => Object.assign({ created_at: stamp }, row, { updated_at: stamp }) as unknown as Event,
    );
    store.apply(
      ...came.map((record) => ({ put: 'observations', record }) as const),
      ...changed.map((record) => ({ put: 'events', record }) as const),
    );
  };

  const arrivals: Arrivals = {
    add(rows, { afterMs = 0, commitMs = 0 } = {}) {
      const savedAt = clock.now() + afterMs;
      pending.push({ rows, savedAt, shownAt: savedAt + commitMs });
      pending.sort((a, b) => a.shownAt - b.shownAt);
      arrivals.settle();
    },
    editSome(count) {
      const events = [...store.events.values()];
      const chosen = Array.from({ length: Math.min(count, events.length) }, (_, n) => {
        const event = events[(edited + n * 37) % events.length] as Event;
        return { ...event, title: `edit ${edited + n + 1}` };
      });
      edited += count;
      arrivals.add({ events: chosen });
    },
    settle() {
      const now = clock.now();
      if (
        !pending.some(({ savedAt, stamp }) => savedAt <= now && stamp === undefined) &&
        (pending[0]?.shownAt ?? Infinity) > now
      )
        return;
      for (const each of pending) if (each.savedAt <= now) each.stamp ??= stampOf(store, each.savedAt);
      const due = pending.filter(({ shownAt }) => shownAt <= now);
      pending = pending.filter(({ shownAt }) => shownAt > now);
      for (const each of due) show(each);
    },
  };
  return arrivals;
};
