/** Keys with their due times; the earliest time of a key applies. */
interface DueTimes {
  /** Adds a key; an earlier time of the key stays. @throws RangeError when the time is not a number */
  add(key: string, at: number): void;
  remove(key: string): void;
  /** The earliest due time. */
  next(): number | undefined;
  /** Removes and returns the keys that are due, earliest first. */
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

/** Outdated entries allowed in addition to one per key, before the heap is rebuilt. */
const maxOutdated = 64;

/** Creates an empty set: a heap that skips outdated entries when they reach its top. */
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

  /** Rebuilds the heap without outdated entries; a sorted list is a heap. */
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
 * The keys that are due, running or delayed. A key has at most one pending request: to run as soon as possible, or at its earliest time. A
 * run takes the request; a request during the run stays until the run has ended.
 */
interface Keys {
  /** Requests a run as soon as possible. */
  add(key: string): void;
  /** Requests a run at a time, unless an earlier one is requested. */
  addAt(key: string, at: number): void;
  /** Takes the key that has been due longest and is not running; undefined when there is none, or too many are running. */
  take(now: number): string | undefined;
  /** Reports the end of the run of a key. */
  finish(key: string): void;
  /** Drops all requests. */
  clear(): void;
  /** Due time of the next key that is not due yet. */
  nextDue(): number | undefined;
  running(): number;
  /** Number of keys that are due and not running. */
  waiting(): number;
}

/** Creates an empty set of keys, of which `concurrency` may run at a time. */
export const createKeys = (concurrency: number): Keys => {
  /** In the order of their due times. */
  const due = new Set<string>();
  /** Keys that are due again while they run; they join the end of the queue when their run ends. */
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
