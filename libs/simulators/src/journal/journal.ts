/** An append-only list of lines that are numbered from 0. */
export interface Journal {
  /** Appends lines; with a file, they are written to the kernel when this returns. */
  append(lines: readonly string[]): void;
  /** Lines taken so far; also the number of the next one. */
  readonly count: number;
  /** Number of the oldest line that can still be read. */
  readonly first: number;
  /** At most `limit` lines from number `since` on. */
  read(since: number, limit: number): readonly string[];
  close(): void;
}

/** A journal in memory that drops its oldest lines beyond `capacity`. */
export const memoryJournal = (capacity: number): Journal => {
  const lines: string[] = [];
  let forgotten = 0;
  return {
    get count() {
      return forgotten + lines.length;
    },
    get first() {
      return forgotten;
    },
    append(more) {
      for (const line of more) lines.push(line);
      if (lines.length < capacity * 1.25) return;
      const excess = lines.length - capacity;
      lines.splice(0, excess);
      forgotten += excess;
    },
    read(since, limit) {
      const from = Math.max(0, since - forgotten);
      return lines.slice(from, from + limit);
    },
    close: () => undefined,
  };
};

/** Appends to an optional journal; false when its disk is full. */
export const appendIfRoom = (journal: Pick<Journal, 'append'>, lines: readonly string[]): boolean => {
  try {
    journal.append(lines);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
};
