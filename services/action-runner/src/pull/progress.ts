import { watermarkOf, type StateValue } from '@ranger-relay/actions';
import { z } from 'zod';

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
  backfill: z.object({ at: z.string() }).optional().catch(undefined),
  cursor: z.object({ created_after: z.string().nullish(), at: z.string() }).optional().catch(undefined),
});

/** Clocks differ by less than this, ms. */
const toleranceMs = 60_000;

/** Reads the progress from the stored state of a pull. @param now local time, ms since 1970 */
export const pullProgress = (state: StateValue, now: number): PullProgress => {
  const { clock_offset_ms: offsetMs = 0, backfill, cursor } = unfinishedSchema.parse(state);
  const watermark = watermarkOf(state);
  const aheadMs = (watermark ?? -Infinity) - now - offsetMs;
  return {
    watermark: watermark === undefined ? null : new Date(watermark).toISOString(),
    ahead_seconds: aheadMs > toleranceMs ? Math.round(aheadMs / 1_000) : 0,
    unfinished: [
      ...(backfill ? [`a back-fill of older rows, which has reached ${backfill.at}`] : []),
      ...(cursor
        ? [
            cursor.created_after
              ? `a listing of arrivals since ${cursor.created_after}, which has reached ${cursor.at}`
              : `a listing that has reached ${cursor.at}`,
          ]
        : []),
    ],
  };
};
