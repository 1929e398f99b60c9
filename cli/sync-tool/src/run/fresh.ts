import type { Clock } from '@ranger-relay/runtime';
import type { Choice, PatrolType, Site, Subject } from '@ranger-relay/site';

/** The current state of the site, read a few seconds before use, so that a run never overwrites a newer value with a stale one. */
export interface Fresh {
  types(): Promise<readonly PatrolType[]>;
  choices(field: string): Promise<readonly Choice[]>;
  /** Announces the subjects that the caller will read, in this order. */
  expect(ids: readonly string[]): void;
  /** Returns each reading once: a second call for the same subject reads it again. */
  subject(id: string): Promise<Subject | undefined>;
  /** Discards all readings, so that the next call reads from the site. */
  forget(): void;
}

const momentMs = 2_000;
/** A list stays valid for at least `momentMs`, or for this many times as long as reading it took, but at most `maxWorthMs`. */
const worth = 10;
const maxWorthMs = 30_000;
/** How many subjects one request reads ahead of the writes, and how long such a reading stays valid. */
const ahead = 25;
const aheadMs = 5_000;

type MonotonicClock = Pick<Clock, 'monotonic'>;

/** Caches a list for a short time and reads it again after that. */
const momentary = <T>(clock: MonotonicClock, read: () => Promise<T>): (() => Promise<T>) => {
  let [until, found]: [number, Promise<T> | undefined] = [0, undefined];
  return () => {
    const now = clock.monotonic();
    if (found && now < until) return found;
    until = Infinity;
    found = read().finally(() => {
      const took = clock.monotonic() - now;
      until = now + took + Math.max(momentMs, Math.min(maxWorthMs, worth * took));
    });
    return found;
  };
};

/** The subjects that one request read. */
interface Reading {
  readonly subjects: Promise<ReadonlyMap<string, Subject>>;
  /** Monotonic time at which the response arrived; Infinity until then. */
  at: number;
}

const subjectsAhead = (
  site: Pick<Site, 'subjectsById'>,
  clock: MonotonicClock,
): Pick<Fresh, 'expect' | 'subject'> & { forgetAll(): void } => {
  let expected: readonly string[] = [];
  let places: ReadonlyMap<string, number> = new Map();
  const readings = new Map<string, Reading>();
  const readWith = (id: string): Reading => {
    const at = places.get(id);
    const ids = [id, ...(at === undefined ? [] : expected.slice(at + 1, at + ahead))];
    const read = async (): Promise<ReadonlyMap<string, Subject>> => {
      const found = await site.subjectsById(ids);
      reading.at = clock.monotonic();
      return new Map(found.map((subject) => [subject.id, subject]));
    };
    const reading: Reading = { subjects: Promise.resolve().then(read), at: Infinity };
    for (const each of ids) readings.set(each, reading);
    return reading;
  };
  return {
    expect(ids) {
      expected = ids;
      places = new Map(ids.map((id, place) => [id, place]));
    },
    async subject(id) {
      const known = readings.get(id);
      const reading = known && clock.monotonic() - known.at < aheadMs ? known : readWith(id);
      const subjects = await reading.subjects;
      readings.delete(id);
      return subjects.get(id);
    },
    forgetAll: () => readings.clear(),
  };
};

/** Creates a reader of the current state of a site. */
export const freshOf = (site: Site, clock: MonotonicClock): Fresh => {
  const readTypes = (): Fresh['types'] => momentary(clock, () => site.patrolTypes());
  const fields = new Map<string, () => Promise<readonly Choice[]>>();
  const { forgetAll, ...subjects } = subjectsAhead(site, clock);
  let types = readTypes();
  return {
    ...subjects,
    types: () => types(),
    choices(field) {
      const read = fields.get(field) ?? momentary(clock, () => site.choices(field));
      fields.set(field, read);
      return read();
    },
    forget() {
      types = readTypes();
      fields.clear();
      forgetAll();
    },
  };
};
