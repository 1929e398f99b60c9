import { watermarkOf, type StateValue } from '@ranger-relay/actions';
import { z } from 'zod';
import { beyondTolerance } from './site-clock.ts';

/** Progress and remaining work of a pull, for people. */
export interface PullProgress {
  /** ISO 8601, in the site's time; null before the first page. */
  readonly watermark: string | null;
  /** How far the watermark is in the site's future, seconds; 0 when it is not. The next run corrects it. */
  readonly ahead_seconds: number;
  /** Unfinished work that the next runs continue, one sentence each. */
  readonly unfinished: readonly string[];
}

const unfinishedSchema = z.object({
  clock_offset_ms: z.number().optional().catch(undefined),
  ranges: z
    .array(
      z.object({
        from: z.string(),
        to: z.string().nullable(),
        listing: z.boolean().optional(),
        saved_from: z.string().optional(),
        retry_at: z.string().optional(),
      }),
    )
    .catch([]),
});

type StoredRange = z.output<typeof unfinishedSchema>['ranges'][number];

const sentenceOf = ({ from, to, listing, saved_from: savedFrom, retry_at: at }: StoredRange): string => {
  if (at !== undefined)
    return `rows from ${from} to ${to ?? 'the end'}, on which the site fails: they are read again at ${at}`;
  if (listing && savedFrom !== undefined)
    return `a listing of what the site has saved since ${savedFrom}, which has reached rows recorded at ${from}`;
  if (listing) return `a listing of what is new, which has reached ${from}`;
  return `a back-fill of older rows from ${from} to ${to ?? 'the end'}`;
};

/** Reads the progress from the stored state of a pull. @param now local time, ms since 1970 */
export const pullProgress = (state: StateValue, now: number): PullProgress => {
  const { clock_offset_ms: offsetMs = 0, ranges } = unfinishedSchema.parse(state);
  const watermark = watermarkOf(state);
  const aheadMs = beyondTolerance((watermark ?? -Infinity) - now - offsetMs);
  return {
    watermark: watermark === undefined ? null : new Date(watermark).toISOString(),
    ahead_seconds: Math.round(aheadMs / 1_000),
    unfinished: ranges.map(sentenceOf),
  };
};
