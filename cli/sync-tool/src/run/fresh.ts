import type { Clock } from '@ranger-relay/runtime';
import type { Choice, PatrolType, Site, Subject } from '@ranger-relay/site';

/** What the site holds just now: nothing is written over that was read earlier than a moment ago. */
export interface Fresh {
  types(): Promise<readonly PatrolType[]>;
  choices(field: string): Promise<readonly Choice[]>;
  /** Says which subjects will be asked for, in this order. */
  expect(ids: readonly string[]): void;
  /** Each reading is handed out once: who asks again hears what is there then. */
  subject(id: string): Promise<Subject | undefined>;
  /** Reads everything again when it is next asked for. */
  forget(): void;
}

const momentMs = 2_000;
/** A list that takes long to read is used for so many times as long. */
const worth = 10;
/** Subjects that are read together, ahead of whoever writes them, and how long such a reading may lie. */
const ahead = 25;
const aheadMs = 5_000;

type MonotonicClock = Pick<Clock, 'monotonic'>;

/** A list that is read again once it is older than a moment. */
const momentary = <T>(clock: MonotonicClock, read: () => Promise<T>): (() => Promise<T>) => {
  let [until, found]: [number, Promise<T> | undefined] = [0, undefined];
  return () => {
    const now = clock.monotonic();
    if (found && now < until) return found;
    until = Infinity;
    found = read().finally(() => {
      const took = clock.monotonic() - now;
      until = now + Math.max(momentMs, worth * took);
    });
    return found;
  };
};

/** Subjects of one request. */
interface Reading {
  readonly subjects: Promise<ReadonlyMap<string, Subject>>;
  /** When they came; Infinity while they have not. */
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

/** Opens the present state of a site. */
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
