import { delayFor, type Random } from '@ranger-relay/runtime';
import { jittered } from '../jittered.ts';

/**
 * Why a watch ended: `ended` by the server, `due` for the next list, `silent` for too long, its start version was `gone`, an event was
 * `unreadable`, `failed` for any other reason.
 */
export type EndReason = 'ended' | 'due' | 'silent' | 'gone' | 'unreadable' | 'failed';

/** Outcome of a step. */
export type Outcome =
  | { readonly step: 'list'; readonly ok: boolean; readonly retryAfterMs?: number | undefined }
  | {
      readonly step: 'watch';
      readonly reason: EndReason;
      /** Duration of the watch, ms. */
      readonly livedMs: number;
      readonly retryAfterMs?: number | undefined;
    };

/** The next step and its delay. */
export interface NextStep {
  readonly step: 'list' | 'watch';
  readonly delayMs: number;
  /** Consecutive steps without success. */
  readonly failures: number;
}

/** A watch of this duration counts as successful, ms. */
export const steadyMs = 10_000;
/** Consecutive failed watches after which the informer lists again, because the version may be the cause. */
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
 * Returns the step that follows an outcome. Only a watch of some duration resets the failures, so that a server that answers lists and
 * breaks every watch receives fewer and fewer requests.
 */
export const nextStep = (outcome: Outcome, failures: number, random: Random): NextStep => {
  if (outcome.step === 'watch') return afterWatch(outcome, failures, random);
  if (outcome.ok) return { step: 'watch', delayMs: 0, failures };
  return { step: 'list', delayMs: waitFor(failures, outcome.retryAfterMs, random), failures: failures + 1 };
};
