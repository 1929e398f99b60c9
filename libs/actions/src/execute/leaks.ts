import type { Logger } from '@ranger-relay/runtime';
import { classifyFailure, failureText } from '../failure/classify.ts';
import type { ReadyRun } from './handler-context.ts';

/** Logs what the handler of a run has thrown, with its stack. */
export const logThrown = ({ subject }: ReadyRun, thrown: unknown, log: Logger, message: string): void => {
  const { scrubber, integrationId, actionId } = subject;
  const failure = classifyFailure(thrown);
  log.error(
    {
      integration: integrationId,
      action: actionId,
      problem: scrubber.text(failureText(failure)),
      trace: scrubber.text(failure.trace),
    },
    message,
  );
};

/** Logs an unhandled rejection of a run; false when no run caused it. */
export const reportLeak = (run: ReadyRun | undefined, reason: unknown, log: Logger): boolean => {
  if (!run) return false;
  logThrown(run, reason, log, 'a handler left an unhandled rejection');
  return true;
};
