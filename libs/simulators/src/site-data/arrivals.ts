import type { Clock } from '../time/clock.ts';
import type { Event, Observation, SiteData } from './records.ts';

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

/** What arrivals are made with. */
export interface ArrivalDependencies {
  readonly clock: Clock;
  /** How far the site's own clock stands from `clock`, ms. */
  offsetMs(): number;
  data(): SiteData;
  put(changes: Partial<SiteData>): void;
}

interface Pending {
  readonly rows: NewRows;
  readonly savedAt: number;
  readonly shownAt: number;
  stamp?: string;
}

const replaced = (present: readonly Event[], changed: readonly Event[]): readonly Event[] => [
  ...new Map([...present, ...changed].map((event) => [event.id, event])).values(),
];

/** Makes them. */
export const createArrivals = ({ clock, offsetMs, data, put }: ArrivalDependencies): Arrivals => {
  let pending: Pending[] = [];
  let edited = 0;

  const show = ({ rows, stamp = '' }: Pending): void => {
    const { observations, events } = data();
    const came = (rows.observations ?? []).map((row) => Object.assign({}, row, { created_at: stamp }));
    const changed = (rows.events ?? []).map(
      (row) => Object.assign({ created_at: stamp }, row, { updated_at: stamp }) as unknown as Event,
    );
    put({
      ...(came.length > 0 ? { observations: [...observations, ...came] } : {}),
      ...(changed.length > 0 ? { events: replaced(events, changed) } : {}),
    });
  };

  const arrivals: Arrivals = {
    add(rows, { afterMs = 0, commitMs = 0 } = {}) {
      const savedAt = clock.now() + afterMs;
      pending.push({ rows, savedAt, shownAt: savedAt + commitMs });
      pending.sort((a, b) => a.shownAt - b.shownAt);
      arrivals.settle();
    },
    editSome(count) {
      const { events } = data();
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
      for (const each of pending)
        if (each.savedAt <= now) each.stamp ??= new Date(each.savedAt + offsetMs()).toISOString();
      const due = pending.filter(({ shownAt }) => shownAt <= now);
      pending = pending.filter(({ shownAt }) => shownAt > now);
      for (const each of due) show(each);
    },
  };
  return arrivals;
};
