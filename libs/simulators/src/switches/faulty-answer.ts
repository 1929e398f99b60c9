import type { Answer } from '../http/answer.ts';
import type { TerminalFault } from './board.ts';
import type { When } from './fault.ts';

/** A gateway words its refusals otherwise than the platform behind it. */
const memberOf = (status: number): string => (status === 401 || status === 403 ? 'message' : 'detail');

/** When a fault strikes. */
export const whenOf = (fault: TerminalFault): When =>
  fault.fault === 'half_body' || fault.fault === 'short_list' ? 'after' : (fault.when ?? 'before');

/**
 * The answer that a fault makes. `good` is the answer that would have been given; only half of it leaves with `half_body`.
 * The status of an answer that never leaves is 0.
 */
export const faultyAnswer = (fault: TerminalFault, good?: Answer): Answer => {
  if (fault.fault === 'half_body') return { status: 200, ...good, delivery: 'half' };
  // Known to lists of items alone, which cut themselves.
  if (fault.fault === 'short_list') return good ?? { status: 200 };
  if (fault.fault !== 'status') return { status: 0, delivery: fault.fault };
  return {
    status: fault.status,
    headers: {
      'content-type': 'application/json',
      ...(fault.retry_after === undefined ? {} : { 'retry-after': String(fault.retry_after) }),
      ...fault.headers,
    },
    body: fault.body ?? JSON.stringify({ [memberOf(fault.status)]: `Simulated ${fault.status}.` }),
  };
};
