import { RelayError } from '@ranger-relay/errors';
import type { Admission } from './admission.ts';
import type { Begun } from './delivery.ts';
import { reportRefusal, type Subject } from './report.ts';
import type { ExecuteOutcome, MessageRef } from './request.ts';
import type { RunResult } from './run.ts';

/** How long to wait at least before the message is delivered again, ms; undefined when it is done with. */
export const repeatAfter = (outcome: ExecuteOutcome): number | undefined => {
  if (outcome.kind === 'busy') return outcome.retryAfterMs;
  if (outcome.kind === 'timed_out') return 0;
  if (outcome.kind === 'failed') return outcome.transient ? (outcome.retryAfterMs ?? 0) : undefined;
  if (outcome.kind === 'refused') return outcome.error.next === 'retry' ? (outcome.error.retryAfterMs ?? 0) : undefined;
  return undefined;
};

const ended = Promise.resolve();
const busyMs = 5_000;

/** The end of a wish that started nothing. */
export const notRun = (outcome: ExecuteOutcome): RunResult => ({
  outcome,
  release: async () => undefined,
  handlerEnded: ended,
});

/** Refused; the error says whether a repeat can help. */
export const refused = (subject: Subject, error: RelayError): RunResult =>
  notRun({ kind: 'refused', error, report: reportRefusal(subject, error) });

/** Too many runs. */
export const tooBusy = (subject: Subject): RunResult => {
  const error = new RelayError('action_busy', { retryAfterMs: busyMs });
  return notRun({ kind: 'busy', retryAfterMs: busyMs, report: reportRefusal(subject, error) });
};

/** Stopped by what is known of the message; undefined when it is new. */
export const knownAlready = (
  subject: Subject,
  begun: Begun,
  message: MessageRef | undefined,
): RunResult | undefined => {
  if (begun.kind === 'new') return undefined;
  if (begun.kind === 'done') return notRun({ kind: 'repeated' });
  return refused(subject, new RelayError('delivery_in_flight', { details: { id: message?.id ?? '' } }));
};

/** Stopped by another run of the same; undefined when it may be. */
export const notAlone = (subject: Subject, admission: Admission): RunResult | undefined => {
  if (admission.kind === 'alone') return undefined;
  if (admission.kind === 'later') return refused(subject, admission.error);
  return notRun({ kind: 'skipped', reason: 'already_running' });
};
