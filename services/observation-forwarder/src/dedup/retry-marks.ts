import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { markLate } from './claim.ts';
import type { Ask, Mark } from './claims.ts';

/** What the platform accepted while the store could not be told: told as soon as it answers, for whoever gets the partition next. */
export interface MissedMarks {
  /** Keeps a mark that the store did not take; a later one of the same event takes its place. */
  note(key: string, mark: Mark, owner: string): void;
}

/** What such marks are kept and told with. */
export interface MissedMarksParts {
  readonly state: KvSpace;
  readonly clock: Clock;
  readonly ask: Ask;
  /** Pause between two tries, ms. */
  readonly pauseMs: number;
  /** Most marks that are kept; the oldest are forgotten. */
  readonly limit: number;
}

interface Missed {
  readonly mark: Mark;
  readonly owner: string;
}

/** Marks that are told at once: one round trip of moderate size. */
const atOnce = 500;

/** Keeps the marks of one process. */
export const keepMissedMarks = ({ state, clock, ask, pauseMs, limit }: MissedMarksParts): MissedMarks => {
  const missed = new Map<string, Missed>();
  let waiting = false;

  const tellOne = async ([key, entry]: [string, Missed]): Promise<boolean> => {
    const told = await ask(() => markLate(state, key, entry.mark, entry.owner));
    if (told && missed.get(key) === entry) missed.delete(key);
    return told === true;
  };

  const tellAll = async (): Promise<void> => {
    while (missed.size > 0) {
      const some = await Promise.all([...missed].slice(0, atOnce).map(tellOne));
      if (some.includes(false)) return;
    }
  };

  const later = (): void => {
    if (waiting || missed.size === 0) return;
    waiting = true;
    clock.after(pauseMs, () => {
      void tellAll().finally(() => {
        waiting = false;
        later();
      });
    });
  };

  return {
    note(key, mark, owner) {
      missed.delete(key);
      missed.set(key, { mark, owner });
      if (missed.size > limit) missed.delete(missed.keys().next().value as string);
      later();
    },
  };
};
