import { toRelayError } from '@ranger-relay/errors';
import type { Clock, Logger } from '@ranger-relay/runtime';
import type { SiteReader } from '@ranger-relay/site';
import { inBatches } from './batches.ts';
import { idOf, isRow, readInstant, readList, textOf } from './instant.ts';

/** Who wears a source, in the words of the site. */
interface SubjectName {
  readonly name: string | undefined;
  readonly type: string | undefined;
}

/** What the site knows about one source; empty where it could not be asked. */
export interface SourceFacts {
  readonly manufacturerId: string | undefined;
  readonly assignments: readonly Assignment[];
  /** By id of the subject. */
  readonly subjects: ReadonlyMap<string, SubjectName>;
}

/** A source that nothing is known about. */
export const unknownSource: SourceFacts = { manufacturerId: undefined, assignments: [], subjects: new Map() };

/** The name of whoever wore the source at an instant. */
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

/** The year that a site writes for "until further notice". */
const openYear = /^9999-/;

const boundOf = (value: unknown, open: number): number | undefined => {
  if (textOf(value) === undefined || openYear.test(String(value))) return open;
  return readInstant(value);
};

/** One row of `subjectsources`; undefined for one that cannot be read. */
export const readAssignment = (row: unknown): Assignment | undefined => {
  if (!isRow(row)) return undefined;
  const [source, subject] = [idOf(row['source']), idOf(row['subject'])];
  const range = isRow(row['assigned_range']) ? row['assigned_range'] : {};
  const lower = boundOf(range['lower'], -Infinity);
  const upper = boundOf(range['upper'], Infinity);
  if (source === undefined || subject === undefined || lower === undefined || upper === undefined) return undefined;
  return { source, subject, lower, upper };
};

/** The subject that wore the source at an instant; of several the one who got it last. */
export const subjectAt = (assignments: readonly Assignment[], at: number): string | undefined => {
  let found: Assignment | undefined;
  for (const each of assignments)
    if (each.lower <= at && at < each.upper && (!found || each.lower > found.lower)) found = each;
  return found?.subject;
};

/** What is known about the sources of one run; each is asked for once. */
export interface SourceDirectory {
  /** Asks for those that are not known yet. A look-up that fails only loses names. @throws the signal's reason */
  learn(sourceIds: Iterable<string>): Promise<void>;
  of(sourceId: string): SourceFacts;
}

/** What a directory is made with. */
interface DirectoryDependencies {
  readonly reader: Pick<SiteReader, 'get'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'after'>;
  /** A list of assignments had more than one page. */
  readonly onMore: () => void;
}

/** Sources beyond this are asked for again. */
const maxKnown = 20_000;
/** After so many look-ups that got no answer the run goes on without names: each costs seconds. */
const maxUnanswered = 5;
/** Names are worth so much waiting, ms: a site that hangs here alone must not hold up what it has. */
const lookUpMs = 10_000;
/** Sources that are asked for at a time, with two calls each. */
const atOnce = 2;

const subjectsIn = (payload: unknown): ReadonlyMap<string, SubjectName> =>
  new Map(
    readList(payload).rows.flatMap((row) => {
      const id = idOf(row);
      if (id === undefined || !isRow(row)) return [];
      return [[id, { name: textOf(row['name']), type: textOf(row['subject_type']) }]];
    }),
  );

const bySource = (list: readonly Assignment[]): ReadonlyMap<string, readonly Assignment[]> =>
  Map.groupBy(list, ({ source }) => source);

/** Makes an empty directory. */
export const createSourceDirectory = ({
  reader,
  log,
  signal,
  clock,
  onMore,
}: DirectoryDependencies): SourceDirectory => {
  const known = new Map<string, SourceFacts>();
  let unanswered = 0;

  const lookUp = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    if (unanswered >= maxUnanswered) return undefined;
    const late = new AbortController();
    const timer = clock.after(lookUpMs, () => late.abort());
    try {
      return await reader.get(path, query, { signal: AbortSignal.any([signal, late.signal]) });
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toRelayError(thrown);
      if (late.signal.aborted || error.next === 'retry') unanswered += 1;
      log.warn({ err: error }, 'a source of the site could not be looked up; it goes without names');
      return undefined;
    } finally {
      timer.cancel();
    }
  };

  const assignmentsOf = async (ids: readonly string[]): Promise<readonly Assignment[]> => {
    const { rows, more } = readList(await lookUp('subjectsources', { sources: ids.join(',') }));
    if (more) onMore();
    return rows.flatMap((row) => readAssignment(row) ?? []);
  };

  const learnOne = async (id: string, assignments: readonly Assignment[]): Promise<void> => {
    const path = `source/${encodeURIComponent(id)}/`;
    const [source, subjects] = await Promise.all([lookUp(path), lookUp(`${path}subjects`)]);
    const manufacturerId = isRow(source) ? idOf(source['manufacturer_id']) : undefined;
    known.set(id, { manufacturerId, assignments, subjects: subjectsIn(subjects) });
  };

  return {
    async learn(sourceIds) {
      const missing = [...new Set(sourceIds)].filter((id) => !known.has(id));
      if (missing.length === 0) return;
      if (known.size + missing.length > maxKnown) known.clear();
      for (const ids of inBatches(missing)) {
        const assignments = bySource(await assignmentsOf(ids));
        for (const few of inBatches(ids, atOnce))
          await Promise.all(few.map((id) => learnOne(id, assignments.get(id) ?? [])));
      }
    },
    of: (id) => known.get(id) ?? unknownSource,
  };
};
