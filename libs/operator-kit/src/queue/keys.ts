/** Keys with the times at which they are due; the earliest time of a key counts. */
interface DueTimes {
  /** Keeps the earlier time when the key has one. @throws RangeError when the time is no number */
  add(key: string, at: number): void;
  remove(key: string): void;
  /** The earliest time of all. */
  next(): number | undefined;
  /** Takes out what is due at a time, earliest first. */
  take(now: number): string[];
  readonly size: number;
}

interface Entry {
  readonly key: string;
  readonly at: number;
}

const swap = (heap: Entry[], a: number, b: number): void => {
  [heap[a], heap[b]] = [heap[b] as Entry, heap[a] as Entry];
};

const isBefore = (heap: readonly Entry[], a: number, b: number): boolean =>
  (heap[a]?.at ?? Infinity) < (heap[b]?.at ?? Infinity);

const rise = (heap: Entry[]): void => {
  for (let at = heap.length - 1; at > 0;) {
    const parent = (at - 1) >> 1;
    if (!isBefore(heap, at, parent)) return;
    swap(heap, at, parent);
    at = parent;
  }
};

const sink = (heap: Entry[]): void => {
  for (let at = 0; ;) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    const least = isBefore(heap, right, left) ? right : left;
    if (!isBefore(heap, least, at)) return;
    swap(heap, at, least);
    at = least;
  }
};

const shift = (heap: Entry[]): void => {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  heap[0] = last;
  sink(heap);
};

/** So many outdated entries, and as many again as there are keys, may wait to be passed over. */
const maxOutdated = 64;

/** Makes an empty one: a heap whose outdated entries are passed over when they come to its top. */
export const createDueTimes = (): DueTimes => {
  const times = new Map<string, number>();
  let heap: Entry[] = [];

  const top = (): Entry | undefined => {
    for (;;) {
      const [first] = heap;
      if (!first || times.get(first.key) === first.at) return first;
      shift(heap);
    }
  };

  /** A sorted list is a heap. */
  const tidy = (): void => {
    heap = [...times].map(([key, at]) => ({ key, at })).toSorted((a, b) => a.at - b.at);
  };

  return {
    add(key, at) {
      if (Number.isNaN(at)) throw new RangeError(`the time at which ${key} is due is no number`);
      if ((times.get(key) ?? Infinity) <= at) return;
      times.set(key, at);
      heap.push({ key, at });
      rise(heap);
      if (heap.length > maxOutdated + 2 * times.size) tidy();
    },
    remove: (key) => void times.delete(key),
    next: () => top()?.at,
    take(now) {
      const due: string[] = [];
      for (let first = top(); first && first.at <= now; first = top()) {
        due.push(first.key);
        times.delete(first.key);
        shift(heap);
      }
      return due;
    },
    get size() {
      return times.size;
    },
  };
};

/**
 * Which keys are due, which run, which wait. A key has one wish at most: to run as soon as it may, or at its earliest time. A run takes the wish;
 * one that comes meanwhile stays until the run has ended.
 */
interface Keys {
  /** Wishes a run at once. */
  add(key: string): void;
  /** Wishes a run at a time, unless there is an earlier wish. */
  addAt(key: string, at: number): void;
  /** Takes the key that has been due for longest and does not run; undefined when there is none, or too many run. */
  take(now: number): string | undefined;
  /** The run of a key has ended. */
  finish(key: string): void;
  /** Takes all wishes back. */
  clear(): void;
  /** When the next key comes due that is not due yet. */
  nextDue(): number | undefined;
  running(): number;
  /** Keys that are due and do not run. */
  waiting(): number;
}

/** Makes an empty one that lets `concurrency` keys run at a time. */
export const createKeys = (concurrency: number): Keys => {
  /** In the order in which they came due. */
  const due = new Set<string>();
  /** Due as well, but running; they go to the end of the line when their run ends. */
  const again = new Set<string>();
  const running = new Set<string>();
  let later = createDueTimes();

  const add = (key: string): void => {
    later.remove(key);
    (running.has(key) ? again : due).add(key);
  };

  return {
    add,
    addAt(key, at) {
      if (!due.has(key) && !again.has(key)) later.add(key, at);
    },
    take(now) {
      for (const key of later.take(now)) add(key);
      const [key] = due;
      if (key === undefined || running.size >= concurrency) return undefined;
      due.delete(key);
      running.add(key);
      return key;
    },
    finish(key) {
      running.delete(key);
      if (again.delete(key)) due.add(key);
    },
    clear() {
      due.clear();
      again.clear();
      later = createDueTimes();
    },
    nextDue: () => later.next(),
    running: () => running.size,
    waiting: () => due.size,
  };
};
