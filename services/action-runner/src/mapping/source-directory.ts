import { isObject, isRelayError, type RelayError, toRelayError } from '@ranger-relay/errors';
import { BoundedMap, type Clock, type Logger, mapWithConcurrency, runWithin } from '@ranger-relay/runtime';
import type { SiteReader } from '@ranger-relay/site';
import { isLastingRefusal, noAnswer } from './answers.ts';
import { inBatches } from './batches.ts';
import { idOf, readInstant, readList, textOf } from './instant.ts';

/** The subject that wears a source, as the site names it. */
interface SubjectName {
  readonly name: string | undefined;
  readonly type: string | undefined;
}

/** Facts of the site about one source. */
export interface SourceFacts {
  /** Who the source is on the bus; undefined when the site has no such source, or knows no manufacturer's id of it. */
  readonly manufacturerId: string | undefined;
  readonly assignments: readonly Assignment[];
  /** By id of the subject. */
  readonly subjects: ReadonlyMap<string, SubjectName>;
}

/** A source of which the site knows nothing. */
export const unknownSource: SourceFacts = { manufacturerId: undefined, assignments: [], subjects: new Map() };

/** The name of the subject that wore the source at an instant. */
export const nameAt = ({ assignments, subjects }: SourceFacts, at: number): SubjectName | undefined => {
  const subject = subjectAt(assignments, at);
  return subject === undefined ? undefined : subjects.get(subject);
};

/** When a subject wore a source: from `lower` to before `upper`, ms since 1970. */
export interface Assignment {
  readonly source: string;
  readonly subject: string;
  readonly lower: number;
  readonly upper: number;
}

/** The year that a site writes for an open end. */
const openYear = /^9999-/;

const boundOf = (value: unknown, open: number): number | undefined => {
  if (textOf(value) === undefined || openYear.test(String(value))) return open;
  return readInstant(value);
};

/** Reads a row of `subjectsources`; undefined when it is unreadable. */
export const readAssignment = (row: unknown): Assignment | undefined => {
  if (!isObject(row)) return undefined;
  const [source, subject] = [idOf(row['source']), idOf(row['subject'])];
  const range = isObject(row['assigned_range']) ? row['assigned_range'] : {};
  const lower = boundOf(range['lower'], -Infinity);
  const upper = boundOf(range['upper'], Infinity);
  if (source === undefined || subject === undefined || lower === undefined || upper === undefined) return undefined;
  return { source, subject, lower, upper };
};

/** The subject that wore the source at an instant; of several, the one that received it last. */
export const subjectAt = (assignments: readonly Assignment[], at: number): string | undefined => {
  let found: Assignment | undefined;
  for (const each of assignments)
    if (each.lower <= at && at < each.upper && (!found || each.lower > found.lower)) found = each;
  return found?.subject;
};

/** The facts about the sources of one run; each source is looked up once. */
export interface SourceDirectory {
  /**
   * Facts by id of the source. A failed look-up of a name only loses the name. Without an answer about a source itself nothing is told,
   * because its rows must not stand on the bus under another key; after half an hour without an answer about it, or about several and no other,
   * they do, because others wait for them.
   * @throws RelayError of the site; the signal's reason
   */
  factsOf(sourceIds: Iterable<string>): Promise<ReadonlyMap<string, SourceFacts>>;
}

/** Maximum number of known sources; beyond it, sources are looked up again. */
const maxKnown = 20_000;

/** What the directories of all runs of a process know, monotonic ms. A process that forgets it asks, and waits, again. */
export interface SourceMemory {
  /** Manufacturers' ids by integration and source, so that each run of a slow site goes on where the last one ended. */
  readonly answers: BoundedMap<{ readonly manufacturerId: string | undefined; readonly until: number }>;
  /**
   * Since when look-ups have failed without one that was answered in between: those of a source, by integration and source, and those of all, by
   * integration. The latter says little alone, because answers that are still believed need no look-up.
   */
  readonly silentSince: BoundedMap<number>;
}

/** Creates an empty memory. */
export const createSourceMemory = (): SourceMemory => ({
  answers: new BoundedMap(maxKnown),
  silentSince: new BoundedMap(maxKnown),
});

/** Dependencies of a directory. */
interface DirectoryDependencies {
  readonly site: Pick<SiteReader, 'get'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly integrationId: string;
  readonly memory: SourceMemory;
  /** Called when a list of assignments has more than one page. */
  readonly onMore: () => void;
  /** Names are not looked up once the time of the run is up. */
  readonly isTimeUp: () => boolean;
}

/** After this many unanswered look-ups the run continues without names, and after those of so many sources a silent site is asked for no more. */
const maxUnanswered = 5;
/** How long rows wait for an answer about their source, ms. */
const patientMs = 30 * 60_000;
/** How long an answer is believed, and that there is none, ms. */
const believedMs = { answer: 3_600_000, silence: 600_000 };
/** Time limits of look-ups, ms: a site that hangs only there must not delay its observations. */
const limitMs = { names: 10_000, source: 30_000 };
/** Number of sources looked up in parallel, with two calls each. */
const atOnce = 2;

const subjectsIn = (payload: unknown): ReadonlyMap<string, SubjectName> =>
  new Map(
    readList(payload).rows.flatMap((row) => {
      const id = idOf(row);
      if (id === undefined || !isObject(row)) return [];
      return [[id, { name: textOf(row['name']), type: textOf(row['subject_type']) }]];
    }),
  );

const bySource = (list: readonly Assignment[]): ReadonlyMap<string, readonly Assignment[]> =>
  Map.groupBy(list, ({ source }) => source);

/** Creates an empty directory. */
export const createSourceDirectory = (deps: DirectoryDependencies): SourceDirectory => {
  const { site, log, signal, clock, integrationId, memory, onMore, isTimeUp } = deps;
  const known = new Map<string, SourceFacts>();
  let unanswered = 0;
  /** Sources about which the site gave this run no answer, and the errors, while it may be silent about all. */
  const doubtful = new Map<string, RelayError>();

  const lookUp = (ms: number, path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    runWithin({ clock, ms, signal, what: 'looking a source up' }, (limited) =>
      site.get(path, query, { signal: limited }),
    );

  const lookUpNames = async (path: string, query?: Readonly<Record<string, string>>): Promise<unknown> => {
    if (unanswered >= maxUnanswered || isTimeUp()) return undefined;
    try {
      return await lookUp(limitMs.names, path, query);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toRelayError(thrown);
      if (error.next === 'retry') unanswered += 1;
      log.warn({ err: error }, 'names of a source of the site could not be looked up');
      return undefined;
    }
  };

  const assignmentsOf = async (ids: readonly string[]): Promise<readonly Assignment[]> => {
    const { rows, more } = readList(await lookUpNames('subjectsources', { sources: ids.join(',') }));
    if (more) onMore();
    return rows.flatMap((row) => readAssignment(row) ?? []);
  };

  const { answers, silentSince } = memory;

  const isSilent = (key: string): boolean =>
    clock.monotonic() - (silentSince.get(key) ?? clock.monotonic()) >= patientMs;

  const isSilentAboutAll = (): boolean => doubtful.size >= maxUnanswered && isSilent(integrationId);

  const askFor = async (path: string): Promise<string | undefined> => {
    try {
      const source = await lookUp(limitMs.source, path);
      if (!isObject(source)) throw noAnswer(path, 'a source');
      return idOf(source['manufacturer_id']);
    } catch (error) {
      signal.throwIfAborted();
      if (!isLastingRefusal(error))
        throw isRelayError(error, 'deadline_exceeded') ? noAnswer(path, 'there in time') : error;
      log.warn({ err: error }, 'the site does not tell of a source; it is named by its id at the site');
      return undefined;
    }
  };

  /** Undefined also for a doubtful source. @throws RelayError of the site when it does not answer */
  const manufacturerIdOf = async (id: string, path: string): Promise<string | undefined> => {
    const keys = [`${integrationId} ${id}`, integrationId] as const;
    const [key] = keys;
    const believed = answers.get(key);
    if (believed && clock.monotonic() < believed.until) return believed.manufacturerId;
    if (isSilentAboutAll()) return undefined;
    try {
      const manufacturerId = await askFor(path);
      for (const each of keys) silentSince.delete(each);
      doubtful.delete(id);
      answers.set(key, { manufacturerId, until: clock.monotonic() + believedMs.answer });
      return manufacturerId;
    } catch (error) {
      signal.throwIfAborted();
      unanswered += 1;
      for (const each of keys) silentSince.set(each, silentSince.get(each) ?? clock.monotonic());
      if (!isSilent(key)) {
        if (!isSilent(integrationId)) throw error;
        doubtful.set(id, toRelayError(error));
        return undefined;
      }
      log.warn({ err: toRelayError(error) }, 'the site is silent about a source; it is named by its id at the site');
      answers.set(key, { manufacturerId: undefined, until: clock.monotonic() + believedMs.silence });
      return undefined;
    }
  };

  const learnOne = async (id: string, assignments: readonly Assignment[]): Promise<void> => {
    const path = `source/${encodeURIComponent(id)}/`;
    const [manufacturerId, subjects] = await Promise.all([manufacturerIdOf(id, path), lookUpNames(`${path}subjects`)]);
    known.set(id, { manufacturerId, assignments, subjects: subjectsIn(subjects) });
  };

  return {
    async factsOf(sourceIds) {
      const wanted = [...new Set(sourceIds)];
      const missing = () => wanted.filter((id) => !known.has(id));
      if (known.size + missing().length > maxKnown) known.clear();
      for (const ids of inBatches(missing())) {
        const assignments = bySource(await assignmentsOf(ids));
        await mapWithConcurrency(ids, atOnce, (id) => learnOne(id, assignments.get(id) ?? []));
        const [error] = ids.flatMap((id) => doubtful.get(id) ?? []);
        if (!error || isSilentAboutAll()) continue;
        for (const id of doubtful.keys()) known.delete(id);
        throw error;
      }
      return new Map(wanted.map((id) => [id, known.get(id) ?? unknownSource]));
    },
  };
};
