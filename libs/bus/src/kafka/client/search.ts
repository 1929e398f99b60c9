import type { Clock } from '@ranger-relay/runtime';
import type { Layout } from './layout.ts';
import { problemOf } from './problems.ts';
import type { Trouble } from './trouble.ts';

/** What looking for partitions that were not where they should be needs. */
export interface SearchParts {
  readonly layout: Pick<Layout, 'refresh'>;
  readonly clock: Clock;
  readonly trouble: Pick<Trouble, 'failed'>;
  /** Wait before the question, ms: a leader is chosen meanwhile. */
  readonly pauseMs: number;
  readonly closed: () => boolean;
  /** Whether or not there was an answer: what was lost is tried again. */
  readonly onEnd: () => void;
}

/** Asks, after a short wait, where partitions lie now; calls made meanwhile share the question. */
export const createSearch = ({ layout, clock, trouble, pauseMs, closed, onEnd }: SearchParts): (() => void) => {
  let looking = false;
  return () => {
    if (looking) return;
    looking = true;
    void clock
      .sleep(pauseMs)
      .then(() => (closed() ? undefined : layout.refresh()))
      .catch((error: unknown) => trouble.failed('', problemOf(error).message))
      .finally(() => {
        looking = false;
        onEnd();
      });
  };
};
