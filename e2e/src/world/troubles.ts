/** A time in which something went wrong, ms since 1970. */
export interface Trouble {
  readonly from: number;
  readonly to: number;
  /** The store lost its marks at the beginning, or did not answer meanwhile. */
  readonly store: 'lost' | 'away' | null;
  /** The store lost the writes of so long before the beginning, ms; default none. */
  readonly lostMs?: number;
}

/** Everything that went wrong, in order of its beginning, and what it explains. Times are ms since 1970. */
export interface Troubles {
  add(trouble: Trouble): void;
  /** Adds what went wrong just now, unless something of the last second is known. */
  addNow(now: number): void;
  /** Whether an item that was accepted at one time may come again at another. */
  mayRepeat(acceptedAt: number, again: number): boolean;
  /** Whether anything was wrong between two times. */
  during(from: number, to: number): boolean;
  /** Whether the store lost a write of the time between. */
  lostWrites(from: number, to: number): boolean;
}

/** A mark of an item that was accepted may be missing when something went wrong so shortly before or after, ms. */
const [beforeMs, afterMs] = [15_000, 40_000];
/** Also what a call could still write at the beginning may be lost, ms. */
const leastLostMs = 5_000;

const explains = ({ from, to, store }: Trouble, acceptedAt: number, again: number): boolean =>
  (store === 'lost' && from > acceptedAt && from <= again) ||
  (store === 'away' && from <= again && to >= again - afterMs) ||
  (from <= acceptedAt + afterMs && to >= acceptedAt - beforeMs);

/** Creates an empty record. */
export const createTroubles = (): Troubles => {
  const troubles: Trouble[] = [];
  let maxMs = 0;

  /** Whether one of those that were not over before `least` fits. */
  const some = (least: number, fits: (trouble: Trouble) => boolean): boolean => {
    for (let n = troubles.length - 1; n >= 0; n -= 1) {
      const trouble = troubles[n] as Trouble;
      if (trouble.from < least - maxMs) return false;
      if (fits(trouble)) return true;
    }
    return false;
  };
  const add = (trouble: Trouble): void => {
    troubles.push(trouble);
    maxMs = Math.max(maxMs, trouble.to - trouble.from);
  };

  return {
    add,
    addNow(now) {
      if ((troubles.at(-1)?.to ?? 0) < now - 1_000) add({ from: now, to: now, store: null });
    },
    mayRepeat: (acceptedAt, again) => some(acceptedAt - afterMs, (trouble) => explains(trouble, acceptedAt, again)),
    during: (from, to) => some(from, (trouble) => trouble.from <= to && trouble.to >= from),
    lostWrites: (from, to) =>
      some(
        from,
        ({ store, from: at, lostMs = 0 }) => store === 'lost' && at >= from && at <= to + Math.max(lostMs, leastLostMs),
      ),
  };
};
