import type { Clock } from '../time/clock.ts';
import { appendIfRoom, type Journal } from '../journal/journal.ts';

/** Outcome of one request's answer. */
export interface AnswerEnd {
  readonly sent: boolean;
  /** ms since 1970. */
  readonly at: number;
}

/** Remembers of the latest requests whether their answers left. */
export interface AnswerLog {
  note(request: number, sent: boolean): void;
  get(request: number): AnswerEnd | undefined;
  /** Highest request number known, or -1. */
  readonly last: number;
  /** Writes what waits; later ends are kept in memory alone. */
  close(): void;
}

const remembered = 500_000;
const flushMs = 50;
const pageLines = 10_000;

function* stored(journal: Journal): Generator<readonly [number, number]> {
  for (let from = 0; from < journal.count; from += pageLines)
    for (const line of journal.read(from, pageLines)) {
      const [request = -1, signedAt = 0] = line.split(' ').map(Number);
      yield [request, signedAt];
    }
}

/** Creates the log; with a journal, it survives a restart, except for the last moments before a kill. */
export const createAnswerLog = (clock: Clock, journal?: Journal): AnswerLog => {
  const ends = new Map<number, number>();
  let waiting: string[] = [];
  let last = -1;
  let closed = false;
  const keep = (request: number, signedAt: number): void => {
    ends.set(request, signedAt);
    last = Math.max(last, request);
    if (ends.size > remembered) ends.delete(ends.keys().next().value as number);
  };
  const flush = (): void => {
    const lines = waiting;
    waiting = [];
    if (!closed && journal) appendIfRoom(journal, lines);
  };
  if (journal) for (const [request, signedAt] of stored(journal)) keep(request, signedAt);

  return {
    get last() {
      return last;
    },
    close() {
      flush();
      closed = true;
    },
    note(request, sent) {
      const now = clock.now();
      const signedAt = sent ? now : -now;
      keep(request, signedAt);
      if (!journal || closed) return;
      if (waiting.length === 0) clock.after(flushMs, flush);
      waiting.push(`${request} ${signedAt}`);
    },
    get(request) {
      const signedAt = ends.get(request);
      return signedAt === undefined ? undefined : { sent: signedAt > 0, at: Math.abs(signedAt) };
    },
  };
};
