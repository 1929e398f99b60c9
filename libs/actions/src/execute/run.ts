import type { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Logger } from '@ranger-relay/runtime';
import { classifyFailure, type Failure, isUnexpected } from '../failure/classify.ts';
import type { Lease } from '../state/lease.ts';
import { safeJson } from '../values/safe-json.ts';
import type { RuntimeDeps } from './deps.ts';
import { publishFollowUp } from './follow-up.ts';
import { createHandlerContext, type ReadyRun } from './handler-context.ts';
import { logThrown } from './leaks.ts';
import { judgesConfig, prepare } from './prepare.ts';
import { reportFailure, subjectOf } from './report.ts';
import type { ExecuteOutcome } from './request.ts';
import { createActivityReporter, type ActivityReporter } from './activity-reporter.ts';

/** How a handler ended, or that the runtime abandoned it. */
type Ending =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** The signal was aborted before the handler ended; `reason` is the abort reason. */
  | { readonly kind: 'given_up'; readonly reason: unknown };

/** A running handler. */
interface Invocation {
  readonly ending: Promise<Ending>;
  /** Resolves when the handler itself has ended, which may never happen. */
  readonly settled: Promise<void>;
}

const ended = async (handler: () => unknown): Promise<Ending> => {
  try {
    return { kind: 'returned', value: await handler() };
  } catch (error) {
    return { kind: 'threw', error };
  }
};

/** Starts a handler. The first of its end and the abort decides; anything that an abandoned handler does later is ignored. */
const invoke = (handler: () => unknown, signal: AbortSignal): Invocation => {
  const own = ended(handler);
  const ending = new Promise<Ending>((resolve) => {
    const giveUp = (): void => resolve({ kind: 'given_up', reason: signal.reason });
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void own.finally(() => signal.removeEventListener('abort', giveUp)).then(resolve);
  });
  return { ending, settled: own.then(() => undefined) };
};

/** The dependencies of a run. */
interface RunDependencies {
  readonly deps: RuntimeDeps;
  /** The run that code belongs to, so that an unhandled rejection is attributed to it. */
  readonly runs: AsyncLocalStorage<ReadyRun>;
  /** When the request arrived, monotonic ms. */
  readonly began: number;
  /** Held by runs that must be exclusive. */
  readonly lease: Lease | undefined;
  /** Aborted when the process ends. */
  readonly stopping: AbortSignal;
}

/** A run with a final outcome; its handler may still be running. */
export interface RunResult {
  readonly outcome: ExecuteOutcome;
  /** Releases the lease: immediately, or once an abandoned handler has ended. Until then the lease expires by itself. */
  readonly release: () => Promise<void>;
  readonly handlerEnded: Promise<void>;
}

const defaultMs = 540_000;

/** Time for the handler: the remaining execution time, and never more than the limit of the action. */
const timeFor = ({ deps, began }: RunDependencies, { action }: ReadyRun): number => {
  const all = deps.maxExecutionMs ?? defaultMs;
  const left = Math.max(1, began + all - deps.context.clock.monotonic());
  return Math.min(left, (action.timeout ?? Infinity) * 1_000);
};

const timedOut = (action: string, ms: number): RelayError =>
  new RelayError('action_timeout', { details: { action, seconds: Math.round(ms / 1_000) } });

const failed = (reporter: ActivityReporter, { subject }: ReadyRun, failure: Failure, late: boolean): ExecuteOutcome => {
  const report = reportFailure(subject, failure);
  reporter.failed(report);
  if (late) return { kind: 'timed_out', report };
  const { transient, retryAfterMs, result, deadLettered = false } = failure;
  return {
    kind: 'failed',
    transient,
    report,
    deadLettered,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(result === undefined ? {} : { result: safeJson(result) }),
  };
};

const conclude = (log: Logger, reporter: ActivityReporter, run: ReadyRun, ending: Ending): ExecuteOutcome => {
  if (ending.kind === 'returned') {
    const result = safeJson(ending.value);
    reporter.complete(result);
    return { kind: 'complete', result };
  }
  const thrown = ending.kind === 'threw' ? ending.error : ending.reason;
  if (isUnexpected(thrown)) logThrown(run, thrown, log, 'a handler failed unexpectedly');
  return failed(
    reporter,
    run,
    classifyFailure(thrown),
    ending.kind === 'given_up' && isRelayError(thrown, 'action_timeout'),
  );
};

/** The signal that ends a run early: when its time is over, its lease is lost or the process ends. */
const createStopSignal = ({ deps, lease, stopping }: RunDependencies, { action }: ReadyRun, timeMs: number) => {
  const { clock } = deps.context;
  const controller = new AbortController();
  const ends = new AbortController();
  const end = clock.monotonic() + timeMs;
  const onLate = (): void => controller.abort(timedOut(action.id, timeMs));
  const onLost = (): void => controller.abort(lease?.signal.reason);
  const onStopping = (): void => controller.abort(new RelayError('action_stopped', { details: { action: action.id } }));
  const timer = clock.after(timeMs, onLate, true);
  const sources = [
    [lease?.signal, onLost],
    [stopping, onStopping],
  ] as const;
  for (const [signal, onAbort] of sources) {
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true, signal: ends.signal });
  }
  return {
    signal: controller.signal,
    /** Aborts if it is due. No timer runs while a handler blocks the event loop. */
    look(): void {
      if (ends.signal.aborted) return;
      if (clock.monotonic() >= end) onLate();
      lease?.look();
    },
    /** Ends the run: removes all listeners and timers, and aborts, so that calls which the handler left open are not repeated without its lease. */
    close(): void {
      timer.cancel();
      ends.abort();
      controller.abort(new DOMException('the run has ended', 'AbortError'));
    },
  };
};

/** The result of a handler: how it ended, when it really ended, and whether it requested another run. */
interface Handled {
  readonly end: Ending;
  readonly handlerEnded: Promise<void>;
  readonly next: { readonly overrides: Readonly<Record<string, unknown>> | null } | undefined;
  /** Settings of other actions that the handler has read. */
  readonly reads: ReadonlyMap<string, unknown>;
}

const handle = async (parts: RunDependencies, run: ReadyRun, reporter: ActivityReporter): Promise<Handled> => {
  const { clock } = parts.deps.context;
  const timeMs = timeFor(parts, run);
  const stop = createStopSignal(parts, run, timeMs);
  const start = clock.monotonic();
  let next: Handled['next'];
  const reads = new Map<string, unknown>();
  const context = createHandlerContext(parts.deps, run, {
    signal: stop.signal,
    look: stop.look,
    reporter,
    reads,
    timeUsed: () => Math.min(1, (clock.monotonic() - start) / timeMs),
    timeLeft: () => Math.max(0, start + timeMs - clock.monotonic()),
    goOn: (overrides) => (next = { overrides: overrides ?? null }),
  });
  const handler = async (): Promise<unknown> => {
    try {
      return await run.action.run(context);
    } finally {
      stop.look();
    }
  };
  const { ending, settled } = parts.runs.run(run, () => invoke(handler, stop.signal));
  const end = await ending;
  stop.close();
  return { end, handlerEnded: settled, next, reads };
};

/** The run with the platform's current configuration; undefined when it has not changed. Never throws. */
const renewed = async ({ deps }: RunDependencies, run: ReadyRun, { reads }: Handled): Promise<ReadyRun | undefined> => {
  const { id } = run.integration;
  if (id === null || judgesConfig(run.action) || !(await deps.integrations.reload(id))) return undefined;
  try {
    const { integration, decision } = await prepare(deps, run.request);
    if (decision.kind !== 'run') return undefined;
    const { config, data } = decision;
    const others = await Promise.all([...reads.keys()].map((actionId) => deps.integrations.actionConfig(id, actionId)));
    const isSame = isDeepStrictEqual(
      [integration, config, ...others],
      [run.integration, run.config, ...reads.values()],
    );
    const subject = subjectOf(id, run.action, decision.raw);
    return isSame ? undefined : { ...run, integration, config, data, subject };
  } catch (error) {
    deps.context.log.debug({ err: error }, 'configuration could not be reloaded');
    return undefined;
  }
};

/** Runs the handler again when credentials were refused and the platform now has other settings, before the failure counts. */
const handleTwice = async (parts: RunDependencies, run: ReadyRun, reporter: ActivityReporter): Promise<Handled> => {
  const first = await handle(parts, run, reporter);
  if (first.end.kind !== 'threw' || classifyFailure(first.end.error).type !== 'auth') return first;
  const again = await renewed(parts, run, first);
  return again ? handle(parts, again, reporter) : first;
};

const refusesAccount = ({ kind, ...rest }: Ending): boolean =>
  kind === 'threw' &&
  'error' in rest &&
  (isRelayError(rest.error, 'site_credentials_refused') || isRelayError(rest.error, 'site_forbidden'));

/** What a schedule or the platform runs again and again fails or not; a person who tries `auth` sees the result. */
const noteOutcome = (
  { deps }: RunDependencies,
  { action, integration }: ReadyRun,
  ending: Ending,
  outcome: ExecuteOutcome,
): void => {
  if (integration.id === null || (action.type !== 'pull' && action.type !== 'push')) return;
  const subject = `${integration.id}/${action.id}`;
  const { conditions } = deps.context;
  if (outcome.kind === 'complete') conditions.clear('action_failing', subject);
  else if ('report' in outcome) conditions.set('action_failing', subject, { reason: outcome.report.error });
  // An account may lack one permission: what it lets another action do proves nothing.
  const refused = conditions.find('site_credentials_refused', integration.id)?.details['action'] ?? action.id;
  if (refusesAccount(ending)) conditions.set('site_credentials_refused', integration.id, { action: action.id });
  else if (outcome.kind === 'complete' && refused === action.id)
    conditions.clear('site_credentials_refused', integration.id);
};

/**
 * Executes a run: logs Started, runs the handler within its time, publishes a requested follow-up, logs Complete or Failed. Never throws.
 */
export const runAction = async (parts: RunDependencies, run: ReadyRun): Promise<RunResult> => {
  const { deps, lease } = parts;
  const reporter = createActivityReporter(deps, run);
  const finish = (ending: Ending): ExecuteOutcome => {
    const outcome = conclude(deps.context.log, reporter, run, ending);
    noteOutcome(parts, run, ending, outcome);
    return outcome;
  };
  reporter.started();
  const { end, handlerEnded, next } = await handleTwice(parts, run, reporter);
  lease?.abandon();
  const release = async (): Promise<void> => {
    if (end.kind === 'given_up') void handlerEnded.finally(() => lease?.release());
    else await lease?.release();
  };
  if (end.kind !== 'returned' || !next) return { outcome: finish(end), release, handlerEnded };
  await release();
  const problem = await publishFollowUp(deps, run, next.overrides);
  const outcome = finish(problem ? { kind: 'threw', error: problem } : end);
  return { outcome, release, handlerEnded };
};
