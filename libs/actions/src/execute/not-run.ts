import { RelayError } from '@ranger-relay/errors';
import type { Admission } from './admission.ts';
import type { Begun } from './delivery.ts';
import { reportRefusal, type Subject } from './report.ts';
import type { ExecuteOutcome, MessageRef } from './request.ts';
import type { RunResult } from './run.ts';

/** Minimum delay before the message is redelivered, ms; undefined when it is acknowledged. */
export const repeatAfter = (outcome: ExecuteOutcome): number | undefined => {
  if (outcome.kind === 'busy') return outcome.retryAfterMs;
  if (outcome.kind === 'timed_out') return 0;
  if (outcome.kind === 'failed') return outcome.transient ? (outcome.retryAfterMs ?? 0) : undefined;
  if (outcome.kind === 'refused') return outcome.error.next === 'retry' ? (outcome.error.retryAfterMs ?? 0) : undefined;
  return undefined;
};

const ended = Promise.resolve();
const busyMs = 5_000;

/** The result of a request that started no run. */
export const notRun = (outcome: ExecuteOutcome): RunResult => ({
  outcome,
  release: async () => undefined,
  handlerEnded: ended,
});

/** The request was refused; the error says whether a retry can help. */
export const refused = (subject: Subject, error: RelayError): RunResult =>
  notRun({ kind: 'refused', error, report: reportRefusal(subject, error) });

/** Too many concurrent runs. */
export const tooBusy = (subject: Subject): RunResult => {
  const error = new RelayError('action_busy', { retryAfterMs: busyMs });
  return notRun({ kind: 'busy', retryAfterMs: busyMs, report: reportRefusal(subject, error) });
};

/** The result for a message that was already processed or is being processed; undefined when it is new. */
export const knownAlready = (
  subject: Subject,
  begun: Begun,
  message: MessageRef | undefined,
): RunResult | undefined => {
  if (begun.kind === 'new') return undefined;
  if (begun.kind === 'done') return notRun({ kind: 'repeated' });
  return refused(subject, new RelayError('delivery_in_flight', { details: { id: message?.id ?? '' } }));
};

/** The result when another run prevents this one; undefined when the run may start. */
export const notAlone = (subject: Subject, admission: Admission): RunResult | undefined => {
  if (admission.kind === 'alone') return undefined;
  if (admission.kind === 'later') return refused(subject, admission.error);
  return notRun({ kind: 'skipped', reason: 'already_running' });
};
