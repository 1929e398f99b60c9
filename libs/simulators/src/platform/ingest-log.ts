import type { Journal } from '../journal/journal.ts';
import type { Clock } from '../time/clock.ts';
import type { AnswerLog } from './answer-log.ts';

/** Kind of a received item. */
export type ItemKind = 'observation' | 'message' | 'event' | 'event_change' | 'attachment';

/**
 * Outcome of an item: `stored`; `duplicate` of a marked one, dropped; `marked` as seen but not stored, as a failing platform does; `refused`
 * with its list by a 4xx; `failed` before anything was done with it.
 */
export type Outcome = 'stored' | 'duplicate' | 'marked' | 'refused' | 'failed';

/** An item as it came, before deduplication. */
export interface Arrival {
  /** Null when the key belongs to no integration. */
  readonly integration: string | null;
  readonly kind: ItemKind;
  readonly outcome: Outcome;
  /** Status of the answer; 0 when none was given. */
  readonly status: number;
  readonly object_id?: string;
  readonly item: unknown;
}

/** A line of the ingest log. */
export interface IngestLogEntry extends Arrival {
  /** Order of arrival, from 0. */
  readonly seq: number;
  /** Number of the request that brought it, growing. */
  readonly request: number;
  /** Arrival, ms since 1970. */
  readonly at: number;
  /** Address that it came from; null when the connection was already gone. */
  readonly caller: string | null;
}

/** A line of the ingest log with the known facts about its answer. */
export interface SeenEntry extends IngestLogEntry {
  /** True when the whole answer was handed to the network, false when not, null when it has not been decided or is not known. */
  readonly answered: boolean | null;
  /** When that was decided, ms since 1970. */
  readonly answered_at: number | null;
}

/** Range of lines of the ingest log. */
export interface IngestLogQuery {
  /** First line number; default 0. */
  readonly since?: number;
  /** Most lines in the answer; default 1,000. */
  readonly limit?: number;
  readonly integration?: string;
  readonly kind?: ItemKind;
  readonly outcome?: Outcome;
}

/** A page of the ingest log: continue with `since: next` until `next` equals `end`. */
export interface IngestLogPage {
  readonly entries: readonly SeenEntry[];
  readonly next: number;
  readonly end: number;
  /** Oldest line still readable; above 0 only when the log lives in bounded memory. */
  readonly first: number;
}

/** Every item that ever came, in order of arrival, before deduplication. */
export interface IngestLog {
  /** Records the items of one request and gives the request's number. */
  record(arrivals: readonly Arrival[], caller: string | undefined): number;
  read(query?: IngestLogQuery): IngestLogPage;
  /** The latest lines that fit, oldest first. */
  recent(limit: number, query?: Pick<IngestLogQuery, 'kind' | 'integration' | 'outcome'>): readonly SeenEntry[];
}

const pageLines = 2_000;
/** Bounds the work of one read; a reader with a narrow filter just asks again. */
const maxScanned = 20_000;
const recentKept = 500;

const fits = (entry: IngestLogEntry, query: IngestLogQuery): boolean =>
  (query.integration === undefined || entry.integration === query.integration) &&
  (query.kind === undefined || entry.kind === query.kind) &&
  (query.outcome === undefined || entry.outcome === query.outcome);

const parse = (line: string): IngestLogEntry => JSON.parse(line) as IngestLogEntry;

/** Creates the ingest log over a journal that may hold lines of an earlier run. */
export const createIngestLog = (journal: Journal, answers: AnswerLog, clock: Clock): IngestLog => {
  const latest: IngestLogEntry[] = journal.read(Math.max(0, journal.count - recentKept), recentKept).map(parse);
  let requests = Math.max(latest.at(-1)?.request ?? -1, answers.last) + 1;

  const see = (entry: IngestLogEntry): SeenEntry => {
    const end = answers.get(entry.request);
    return { ...entry, answered: end?.sent ?? null, answered_at: end?.at ?? null };
  };

  return {
    record(arrivals, caller) {
      const request = requests++;
      const at = clock.now();
      let seq = journal.count;
      const entries = arrivals.map((arrival): IngestLogEntry => ({
        seq: seq++,
        request,
        at,
        caller: caller ?? null,
        ...arrival,
      }));
      journal.append(entries.map((entry) => JSON.stringify(entry)));
      latest.push(...entries);
      if (latest.length > recentKept * 2) latest.splice(0, latest.length - recentKept);
      return request;
    },
    read(query = {}) {
      const limit = Math.max(1, query.limit ?? 1_000);
      const entries: SeenEntry[] = [];
      const start = Math.max(query.since ?? 0, journal.first);
      let next = start;
      while (next < journal.count && entries.length < limit && next - start < maxScanned) {
        for (const line of journal.read(next, Math.min(pageLines, limit))) {
          if (entries.length >= limit) break;
          next += 1;
          const entry = parse(line);
          if (fits(entry, query)) entries.push(see(entry));
        }
      }
      return { entries, next, end: journal.count, first: journal.first };
    },
    recent: (limit, query = {}) =>
      latest
        .filter((entry) => fits(entry, query))
        .slice(-limit)
        .map(see),
  };
};
