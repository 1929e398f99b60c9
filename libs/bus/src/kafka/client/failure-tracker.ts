import type { Clock, Logger } from '@ranger-relay/runtime';

/** What fails now, of many things that fail and recover alone: one line in the log when the first fails, one when all are well. */
export interface FailureTracker {
  failed(key: string, problem: string): void;
  succeeded(key: string): void;
  /** What failed lately, for people; null when nothing did. */
  current(): string | null;
}

/**
 * A failure that was not repeated for so long is no longer news: else a process that is not ready, and so gets no work, stays so. A request
 * that is repeated fails again within 2.6 s, also when its broker hangs.
 */
const freshMs = 3_500;

/** Makes the memory of one kind of work. `worse` and `better` are its lines. */
export const createFailureTracker = (clock: Clock, log: Logger, worse: string, better: string): FailureTracker => {
  const failures = new Map<string, { readonly problem: string; readonly at: number }>();
  let told = false;

  const drop = (): void => {
    const old = clock.monotonic() - freshMs;
    for (const [key, { at }] of failures) if (at <= old) failures.delete(key);
  };

  return {
    failed(key, problem) {
      drop();
      failures.set(key, { problem, at: clock.monotonic() });
      if (!told) log.warn({ problem }, worse);
      told = true;
    },
    succeeded(key) {
      if (!told) return;
      failures.delete(key);
      drop();
      if (failures.size > 0) return;
      log.info({}, better);
      told = false;
    },
    current() {
      drop();
      return [...failures.values()].at(-1)?.problem ?? null;
    },
  };
};
