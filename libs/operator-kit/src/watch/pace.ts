import { delayFor, type Random } from '@ranger-relay/runtime';
import { jittered } from '../jittered.ts';

/**
 * Why a watch ended: `ended` by the server, `due` for the next list, `silent` for too long, `gone` is the version that it went on
 * from, `unreadable` what it told, `failed` for any other reason.
 */
export type EndReason = 'ended' | 'due' | 'silent' | 'gone' | 'unreadable' | 'failed';

/** What the last step came to. */
export type Outcome =
  | { readonly step: 'list'; readonly ok: boolean; readonly retryAfterMs?: number | undefined }
  | {
      readonly step: 'watch';
      readonly reason: EndReason;
      /** How long the watch lived, ms. */
      readonly livedMs: number;
      readonly retryAfterMs?: number | undefined;
    };

/** What to do next, and when. */
export interface NextStep {
  readonly step: 'list' | 'watch';
  readonly delayMs: number;
  /** Steps in a row that came to nothing. */
  readonly failures: number;
}

/** A watch that lived so long was a sound one, ms. */
export const steadyMs = 10_000;
/** After so many watches in a row that came to nothing, the version may be at fault. */
const listAfter = 3;
const backoff = { baseMs: 500, maxMs: 30_000, jitterMs: 0 };
const jitter = 0.25;

const waitFor = (failures: number, retryAfterMs: number | undefined, random: Random): number =>
  Math.max(jittered(delayFor(backoff, failures, random), jitter, random), retryAfterMs ?? 0);

const afterWatch = (outcome: Outcome & { step: 'watch' }, before: number, random: Random): NextStep => {
  const { reason, livedMs, retryAfterMs } = outcome;
  const steady = livedMs >= steadyMs;
  const failures = steady ? 0 : before;
  if (reason === 'due') return { step: 'list', delayMs: 0, failures };
  if (reason === 'ended' && steady) return { step: 'watch', delayMs: 0, failures };
  const delayMs = waitFor(failures, retryAfterMs, random);
  const afresh = reason === 'gone' || reason === 'unreadable' || failures + 1 >= listAfter;
  return { step: afresh ? 'list' : 'watch', delayMs, failures: failures + 1 };
};

/**
 * The step after a step. Only a watch that lived for a while ends a row of failures: a server that lists well and breaks every watch,
 * or ends it at once, is asked less and less often.
 */
export const nextStep = (outcome: Outcome, failures: number, random: Random): NextStep => {
  if (outcome.step === 'watch') return afterWatch(outcome, failures, random);
  if (outcome.ok) return { step: 'watch', delayMs: 0, failures };
  return { step: 'list', delayMs: waitFor(failures, outcome.retryAfterMs, random), failures: failures + 1 };
};
