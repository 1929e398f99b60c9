import type { Clock } from '@ranger-relay/runtime';
import type { Choice, PatrolType, Site, Subject } from '@ranger-relay/site';

/** The current state of the site, read a few seconds before use, so that a run never overwrites a newer value with a stale one. */
export interface Fresh {
  types(): Promise<readonly PatrolType[]>;
  choices(field: string): Promise<readonly Choice[]>;
  /** Announces the subjects that the caller will read, in this order. */
  expect(ids: readonly string[]): void;
  subject(id: string): Promise<Subject | undefined>;
  /** Discards all readings, so that the next call reads from the site. */
  forget(): void;
}

/** A reading is used for this long, or for so many times as long as it took, but not for longer than the maximum. */
const momentMs = 5_000;
const worth = 10;
const maxWorthMs = 30_000;
/** How many subjects one request reads. */
const ahead = 25;

interface Reading {
  readonly value: Promise<unknown>;
  /** Monotonic time up to which it is used; Infinity until the response arrives. */
  until: number;
}

/** Creates a reader of the current state of a site. */
export const freshOf = (site: Site, clock: Pick<Clock, 'monotonic'>): Fresh => {
  const readings = new Map<string, Reading>();
  let expected: readonly string[] = [];
  let places: ReadonlyMap<string, number> = new Map();
  const read = <T>(what: string, ask: () => Promise<T>): Promise<T> => {
    const from = clock.monotonic();
    const known = readings.get(what);
    if (known && from < known.until) return known.value as Promise<T>;
    const value = ask().finally(() => {
      const now = clock.monotonic();
      reading.until = now + Math.max(momentMs, Math.min(maxWorthMs, worth * (now - from)));
    });
    const reading: Reading = { value, until: Infinity };
    readings.set(what, reading);
    return value;
  };
  return {
    types: () => read('types', () => site.patrolTypes()),
    choices: (field) => read(`choices ${field}`, () => site.choices(field)),
    expect(ids) {
      expected = ids;
      places = new Map(ids.map((id, place) => [id, place]));
    },
    async subject(id) {
      const place = places.get(id);
      const from = place === undefined ? 0 : place - (place % ahead);
      const ids = place === undefined ? [id] : expected.slice(from, from + ahead);
      const subjects = await read(`subjects ${ids.join()}`, () => site.subjectsById(ids));
      return subjects.find((subject) => subject.id === id);
    },
    forget: () => readings.clear(),
  };
};
