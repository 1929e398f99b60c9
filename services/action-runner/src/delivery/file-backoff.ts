import { BoundedMap, type Clock } from '@ranger-relay/runtime';

/**
 * Which sites return no files for now. Such a site is asked again after a pause, for a file of one event that waits apart: a site that hangs
 * then holds up neither later events of its integration nor, by all that wait for it, those of others.
 */
export interface FileBackoff {
  /**
   * How long the files of an event wait, ms; 0 when they may be fetched.
   * @param apart whether the event waits apart
   */
  waitOf(integrationId: string, apart: boolean): number;
  /** The site did not answer. Returns how long its files wait, ms. */
  failed(integrationId: string): number;
  answered(integrationId: string): void;
}

/** Longer than the tries of one file take, ms. */
const pauseMs = 5 * 60_000;
/** Wait of an event that is yet to wait apart, ms. */
const shortWaitMs = 1_000;
const maxSites = 10_000;

/** Creates the back-off of one process. */
export const createFileBackoff = ({ monotonic }: Pick<Clock, 'monotonic'>): FileBackoff => {
  const pausedUntil = new BoundedMap<number>(maxSites);
  const pause = (id: string): number => {
    pausedUntil.set(id, monotonic() + pauseMs);
    return pauseMs;
  };
  return {
    waitOf(id, apart) {
      const waitMs = (pausedUntil.get(id) ?? -Infinity) - monotonic();
      if (waitMs > 0) return waitMs;
      if (waitMs === -Infinity) return 0;
      if (!apart) return shortWaitMs;
      // The others wait for the end of this try.
      pause(id);
      return 0;
    },
    failed: pause,
    answered: (id) => void pausedUntil.delete(id),
  };
};
