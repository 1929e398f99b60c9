import type { Explanation } from '@ranger-relay/actions';
import { remedyOf } from '../actions/remedies.ts';

/** Whether a run would take place; if not, why and what to do. */
export interface Verdict {
  readonly would_run: boolean;
  /** A slug; null when it would run. */
  readonly reason: string | null;
  readonly remedy: string | null;
}

/** What beside the decision stands in the way of a run. */
export interface Circumstances {
  /** A run of the same has the lease. */
  readonly running: boolean;
  /** Of a schedule: nobody holds it, or it never fires. */
  readonly idle?: 'no_scheduler_leader' | 'never_fires' | 'not_scheduled' | undefined;
}

const reasonOf = ({ decision }: Explanation, { running, idle }: Circumstances): string | null => {
  if (idle === 'not_scheduled') return idle;
  if (decision.kind === 'skip') return decision.reason;
  if (decision.kind === 'refuse') return decision.error.code;
  return running ? 'already_running' : (idle ?? null);
};

/** The verdict on a run: the decision of the runtime first, then what else stands in its way. */
export const verdictOf = (explanation: Explanation, circumstances: Circumstances): Verdict => {
  const reason = reasonOf(explanation, circumstances);
  return { would_run: reason === null, reason, remedy: reason === null ? null : remedyOf(reason) };
};
