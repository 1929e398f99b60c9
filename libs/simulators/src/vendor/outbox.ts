import { existsSync } from 'node:fs';
import { fileJournal, replacedJournal } from '../journal/file-journal.ts';
import { appendIfRoom } from '../journal/journal.ts';

/** An event to send. */
export interface Piece {
  readonly seq: number;
  /** When the vendor accepted it, ms since 1970. */
  readonly at: number;
  readonly event: unknown;
}

/** Unsent events, in order; with a file, they survive a kill. */
export interface Outbox {
  put(pieces: readonly Omit<Piece, 'seq'>[]): void;
  /** The next pieces, at most `limit`; they stay until `done`. */
  next(limit: number): readonly Piece[];
  /** The first `count` pieces are through. */
  done(count: number): void;
  readonly size: number;
  close(): void;
}

type Line = Piece | { readonly done: number };

const load = (path: string): Piece[] => {
  const waiting: Piece[] = [];
  let from = 0;
  const journal = fileJournal(path, (text) => {
    const line = JSON.parse(text) as Line;
    if (!('done' in line)) waiting.push(line);
    else while ((waiting[from]?.seq ?? Infinity) <= line.done) from += 1;
  });
  journal.close();
  return waiting.slice(from);
};

const linesOf = (pieces: readonly Piece[]): string[] => pieces.map((piece) => JSON.stringify(piece));

/** Opens an outbox; what an earlier run did not get through comes first. */
export const openOutbox = (path?: string): Outbox => {
  let queue: Piece[] = path !== undefined && existsSync(path) ? load(path) : [];
  const journal = path === undefined ? undefined : replacedJournal(path, linesOf(queue));
  let head = 0;
  let seq = queue.at(-1)?.seq ?? 0;

  const trim = (): void => {
    if (head < 10_000 || head < queue.length / 2) return;
    queue = queue.slice(head);
    head = 0;
  };

  return {
    get size() {
      return queue.length - head;
    },
    put(pieces) {
      const numbered = pieces.map((piece): Piece => Object.assign({ seq: (seq += 1) }, piece));
      if (journal) appendIfRoom(journal, linesOf(numbered));
      for (const piece of numbered) queue.push(piece);
    },
    next: (limit) => queue.slice(head, head + limit),
    done(count) {
      const last = queue[head + count - 1];
      if (!last) return;
      head += count;
      if (journal) appendIfRoom(journal, [JSON.stringify({ done: last.seq })]);
      trim();
    },
    close: () => journal?.close(),
  };
};
