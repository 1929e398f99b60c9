import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from '@ranger-relay/runtime';
import { classifyFailure, failureText } from '../failure/classify.ts';
import type { ReadyRun } from './handler-context.ts';

/** Knows from which run a rejection comes that nobody waits for. */
export interface LeakWatch<Run> {
  /** Runs a handler, so that what it leaves behind is known as its own. */
  within<T>(run: Run, task: () => T): T;
  /** Inside a listener of `unhandledRejection`: the run that leaked it; undefined when none did. */
  owner(): Run | undefined;
}

/** Makes one. */
export const createLeakWatch = <Run>(): LeakWatch<Run> => {
  const runs = new AsyncLocalStorage<Run>();
  return { within: (run, task) => runs.run(run, task), owner: () => runs.getStore() };
};

/** Logs a rejection that a run left behind; false when no run did. */
export const reportLeak = (run: ReadyRun | undefined, reason: unknown, log: Logger): boolean => {
  if (!run) return false;
  const { scrubber, integrationId, actionId } = run.subject;
  const failure = classifyFailure(reason);
  log.error(
    {
      integration: integrationId,
      action: actionId,
      problem: scrubber.text(failureText(failure)),
      trace: scrubber.text(failure.trace),
    },
    'a handler left a failure behind that nobody waits for',
  );
  return true;
};
