/** Keeps the newest items of a stream in bounded memory. */
export interface Latest<T> {
  add(item: T): void;
  /** What is kept, oldest first. */
  sorted(): T[];
  /** How many were let go. */
  dropped(): number;
}

/** Keeps the `limit` newest items by `timeOf`; items of one time keep the order in which they came. */
export const createLatest = <T>(limit: number, timeOf: (item: T) => number): Latest<T> => {
  let items: T[] = [];
  let dropped = 0;
  const trim = (): void => {
    items.sort((a, b) => timeOf(a) - timeOf(b));
    const over = Math.max(0, items.length - limit);
    items = items.slice(over);
    dropped += over;
  };
  return {
    add(item) {
      items.push(item);
      if (items.length >= 2 * limit + 1_000) trim();
    },
    sorted() {
      trim();
      return [...items];
    },
    dropped: () => dropped,
  };
};
