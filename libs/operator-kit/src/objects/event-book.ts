/** What is said to people about an object, beside its status. */
export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  /** One word in CamelCase. */
  readonly reason: string;
  /** A sentence; no secrets. */
  readonly message: string;
}

/** What is to be written for an occurrence: a new event, a higher count of an earlier one, or nothing. */
export type Entry =
  | { readonly kind: 'new'; readonly id: string }
  | { readonly kind: 'count'; readonly id: string; readonly name: string; readonly count: number }
  | { readonly kind: 'none' };

interface Known {
  /** Of the event that was written; undefined until then. */
  name: string | undefined;
  count: number;
  writtenAt: number;
}

/** Remembers what was said, so that the same is not said again and again. Bounded: what was said longest ago is forgotten. */
export interface EventBook {
  /** Takes note of an occurrence. */
  note(object: string, occurrence: Occurrence, now: number): Entry;
  /** The event of an entry has been written under this name. */
  written(id: string, name: string): void;
  /** The event of an entry is not there (any more): the next occurrence is a new one. */
  forget(id: string): void;
}

const mostKnown = 1_000;
/** The count of an event is written at most so often, ms. */
const countEveryMs = 60_000;
/** The API server keeps events for an hour; before that a new one is begun. */
const newAfterMs = 1_800_000;

/** Makes an empty book. Times are monotonic. */
export const createEventBook = (): EventBook => {
  const known = new Map<string, Known & { readonly since: number }>();

  const begin = (id: string, now: number): Entry => {
    known.delete(id);
    known.set(id, { name: undefined, count: 1, writtenAt: now, since: now });
    const [oldest] = known.keys();
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
    return { kind: 'new', id };
  };

  return {
    note(object, { type, reason, message }, now) {
      const id = JSON.stringify([object, type, reason, message]);
      const found = known.get(id);
      if (!found || now - found.since >= newAfterMs) return begin(id, now);
      found.count += 1;
      if (found.name === undefined || now - found.writtenAt < countEveryMs) return { kind: 'none' };
      found.writtenAt = now;
      return { kind: 'count', id, name: found.name, count: found.count };
    },
    written(id, name) {
      const found = known.get(id);
      if (found) found.name = name;
    },
    forget: (id) => void known.delete(id),
  };
};
