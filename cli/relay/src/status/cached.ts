import type { Clock } from '@ranger-relay/runtime';

const leastMs = 1_000;
/** Collecting may take at most a tenth of the time. */
const rest = 10;

/**
 * Serves one result to everybody who asks within a second of it (longer when it took long to make), and makes one at a time.
 * A failure is not kept.
 */
export const cached = <T>(make: () => Promise<T>, clock: Clock): (() => Promise<T>) => {
  let current: Promise<T> | undefined;
  let freshUntil = Infinity;

  const renew = async (): Promise<T> => {
    const start = clock.monotonic();
    freshUntil = Infinity;
    try {
      const made = await make();
      freshUntil = clock.monotonic() + Math.max(leastMs, (clock.monotonic() - start) * rest);
      return made;
    } catch (error) {
      current = undefined;
      throw error;
    }
  };

  return () => {
    if (!current || clock.monotonic() >= freshUntil) current = renew();
    return current;
  };
};
