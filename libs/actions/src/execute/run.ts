import { isRelayError, RelayError } from '@ranger-relay/errors';
import { classifyFailure, type Failure } from '../failure/classify.ts';
import type { Lease } from '../state/lease.ts';
import { safeJson } from '../values/safe-json.ts';
import type { RuntimeDeps } from './deps.ts';
import { publishFollowUp } from './follow-up.ts';
import { createHandlerContext, type ReadyRun } from './handler-context.ts';
import { invoke, type Ending } from './invoke.ts';
import type { LeakWatch } from './leaks.ts';
import { reportFailure } from './report.ts';
import type { ExecuteOutcome } from './request.ts';
import { createTelling, type Telling } from './telling.ts';

/** What a run is carried out with. */
export interface RunParts {
  readonly deps: RuntimeDeps;
  readonly leaks: LeakWatch<ReadyRun>;
  /** When the request came, monotonic ms. */
  readonly began: number;
  /** Held by runs that must be alone. */
  readonly lease: Lease | undefined;
  /** Aborted when the process ends. */
  readonly stopping: AbortSignal;
}

/** A run that has been decided over; its handler may still be busy. */
export interface Ran {
  readonly outcome: ExecuteOutcome;
  /** Gives the lease back: at once, or when a handler that was given up has ended after all. Until then it runs out by itself. */
  readonly release: () => Promise<void>;
  readonly handlerEnded: Promise<void>;
}

const defaultMs = 540_000;

/** What is left for the handler of the time of the whole execution, and never more than the action's own limit. */
const timeFor = ({ deps, began }: RunParts, { action }: ReadyRun): number => {
  const all = deps.maxExecutionMs ?? defaultMs;
  const left = Math.max(1, began + all - deps.context.clock.monotonic());
  return Math.min(left, (action.timeout ?? Infinity) * 1_000);
};

const timedOut = (action: string, ms: number): RelayError =>
  new RelayError('action_timeout', { details: { action, seconds: Math.round(ms / 1_000) } });

const failed = (telling: Telling, { subject }: ReadyRun, failure: Failure, late: boolean): ExecuteOutcome => {
  const report = reportFailure(subject, failure);
  telling.failed(report);
  if (late) return { kind: 'timed_out', report };
  const { transient, retryAfterMs, result, buried = false } = failure;
  return {
    kind: 'failed',
    transient,
    report,
    buried,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(result === undefined ? {} : { result: safeJson(result) }),
  };
};

const conclude = (telling: Telling, run: ReadyRun, ending: Ending): ExecuteOutcome => {
  if (ending.kind === 'returned') {
    const result = safeJson(ending.value);
    telling.complete(result);
    return { kind: 'complete', result };
  }
  const thrown = ending.kind === 'threw' ? ending.error : ending.reason;
  return failed(
    telling,
    run,
    classifyFailure(thrown),
    ending.kind === 'given_up' && isRelayError(thrown, 'action_timeout'),
  );
};

/** One signal for all that ends a run early. */
const createStop = ({ deps, lease, stopping }: RunParts, { action }: ReadyRun, timeMs: number) => {
  const controller = new AbortController();
  const give = (reason: unknown): void => controller.abort(reason);
  const timer = deps.context.clock.after(timeMs, () => give(timedOut(action.id, timeMs)), true);
  const ends = new AbortController();
  const follow = (source: AbortSignal | undefined, reason: () => unknown): void => {
    if (source?.aborted) give(reason());
    source?.addEventListener('abort', () => give(reason()), { once: true, signal: ends.signal });
  };
  follow(lease?.signal, () => lease?.signal.reason);
  follow(stopping, () => new RelayError('action_stopped', { details: { action: action.id } }));
  const close = (): void => {
    timer.cancel();
    ends.abort();
  };
  return { signal: controller.signal, close };
};

/** Started, the handler within its time, the next command when it asked for one, Complete or Failed. Never throws. */
export const carryOut = async (parts: RunParts, run: ReadyRun): Promise<Ran> => {
  const { deps, leaks, lease } = parts;
  const { clock, log } = deps.context;
  const { action, integration, subject } = run;
  const { id: integrationId } = integration;
  const { configData, scrubber } = subject;
  const telling = createTelling({ ...deps, log, integrationId, actionId: action.id, configData, scrubber });
  const timeMs = timeFor(parts, run);
  const stop = createStop(parts, run, timeMs);
  const start = clock.monotonic();
  let next: { readonly overrides: Readonly<Record<string, unknown>> | null } | undefined;
  const context = createHandlerContext(deps, run, {
    signal: stop.signal,
    telling,
    timeUsed: () => Math.min(1, (clock.monotonic() - start) / timeMs),
    goOn: (overrides) => (next = { overrides: overrides ?? null }),
  });

  telling.started();
  const { ending, settled } = leaks.within(run, () => invoke(() => action.run(context), stop.signal));
  let end = await ending;
  stop.close();
  lease?.letGo();
  const release = async (): Promise<void> => {
    if (end.kind === 'given_up') void settled.then(() => lease?.release());
    else await lease?.release();
  };
  if (end.kind === 'returned' && next) {
    await release();
    const problem = await publishFollowUp(deps, run, next.overrides);
    if (problem) end = { kind: 'threw', error: problem };
  }
  return { outcome: conclude(telling, run, end), release, handlerEnded: settled };
};
