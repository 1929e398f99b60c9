import { ageOf, freshMs, staleMs, type Entry, type EntryKind } from './config-entry.ts';

/** An entry in memory. Times on the monotonic clock, ms. */
export interface Held {
  readonly entry: Entry;
  readonly heldAt: number;
  /** After a failed reload the entry serves as it is until then, so that not every caller waits. */
  readonly retryAt: number;
  /** When a renewal in the background may be started (again). */
  renewAt: number;
}

const heldMs = 60_000;
const renewShare = 2 / 3;
/** Callers are spared the wait for a reload that has just failed for so long. */
export const spareMs = 10_000;

/** Both clocks at one moment. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

/** An entry that was found or loaded now. */
export const hold = (entry: Entry, { monotonic }: Moment): Held => ({
  entry,
  heldAt: monotonic,
  retryAt: 0,
  renewAt: 0,
});

/** An entry that serves because its reload has failed now. */
export const holdStale = (entry: Entry, moment: Moment): Held => ({
  ...hold(entry, moment),
  retryAt: moment.monotonic + spareMs,
});

const share = (held: Held, kind: EntryKind, { now, monotonic }: Moment): number =>
  Math.max((monotonic - held.heldAt) / heldMs, ageOf(held.entry, now) / freshMs(kind, held.entry.value));

/** May be answered at once: fresh and not held for more than 60 s, or spared a reload that has just failed. */
export const usable = (held: Held, kind: EntryKind, moment: Moment): boolean =>
  share(held, kind, moment) < 1 || (moment.monotonic < held.retryAt && servable(held.entry, moment));

/** Near its end: to be renewed in the background before anybody has to wait. */
export const dueForRenewal = (held: Held, kind: EntryKind, moment: Moment): boolean =>
  moment.monotonic >= Math.max(held.renewAt, held.retryAt) && share(held, kind, moment) >= renewShare;

/** Fresh enough to be taken from the store; a renewal wants one that has half its time left. */
export const freshEnough = (entry: Entry, kind: EntryKind, { now }: Moment, renewal: boolean): boolean =>
  ageOf(entry, now) < freshMs(kind, entry.value) * (renewal ? 0.5 : 1);

/** Not too old to stand in when a reload fails. A clock that was set back does not make it useless. */
export const servable = (entry: Entry, { now }: Moment): boolean => now - entry.loadedAt < staleMs;
