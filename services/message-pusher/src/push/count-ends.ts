import type { Context } from '@ranger-relay/runtime';
import type { End } from './ends.ts';

/** Values of the label `outcome` of `relay_texts_total`. */
export const textOutcomes = ['accepted', 'failed', 'held', 'deferred', 'ambiguous'] as const;

/** What a run came to for one device; undefined when an earlier run decided it. */
const outcomeOf = (end: End): (typeof textOutcomes)[number] | undefined => {
  if (end.kind === 'transient') return end.error.ambiguous ? 'ambiguous' : 'deferred';
  return end.fresh ? end.kind : undefined;
};

/** Counts what a run came to, each device for itself. */
export const countEnds = (metrics: Pick<Context['metrics'], 'count'>, ends: readonly End[]): void => {
  for (const end of ends) {
    const outcome = outcomeOf(end);
    if (outcome) metrics.count('relay_texts_total', { outcome });
  }
};
