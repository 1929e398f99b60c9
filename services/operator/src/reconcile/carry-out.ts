import { isRelayError, toRelayError } from '@ranger-relay/errors';
import type { Condition, Result } from '@ranger-relay/operator-kit';
import { stalled, type Decision } from '../decide/decision.ts';
import { perform, type Actor } from './perform.ts';
import type { ReconcileParts } from './parts.ts';
import { writeStatus } from './write.ts';

/** After a status that somebody else was faster with, ms. */
const outrunMs = 500;
/** After a call, until the copies show what came of it, ms. */
const unseenMs = 2_000;

const resultOf = (againMs: number | undefined): Result =>
  againMs === undefined ? { kind: 'done' } : { kind: 'again', afterMs: againMs };

/**
 * Carries out one decision: its call, or the status. A call changes something that is watched, so that the next look comes by itself; what
 * the API server refuses is said to people.
 */
export const carryOut = async <Facts>(
  parts: ReconcileParts,
  actor: Actor & { readonly before: readonly Condition[] | undefined },
  decision: Decision<Facts>,
  signal: AbortSignal,
): Promise<Result> => {
  const { act, againMs } = decision;
  if (!act) {
    const done = await writeStatus(parts, actor, decision, signal);
    return done ? resultOf(againMs) : resultOf(outrunMs);
  }
  try {
    await perform(parts, actor, act, signal);
    return resultOf(againMs ?? unseenMs);
  } catch (error) {
    if (!isRelayError(error, 'kube_refused', 'kube_forbidden')) throw error;
    const say = stalled('Refused', `${toRelayError(error).message}; it is tried again`);
    await writeStatus(parts, actor, { ...decision, say }, signal);
    throw error;
  }
};
