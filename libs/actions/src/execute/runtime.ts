import { AsyncLocalStorage } from 'node:async_hooks';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import { createRateLimitedLog, endsWithin } from '@ranger-relay/runtime';
import type { Catalogue } from '../define/catalogue.ts';
import { stateKey } from '../state/keys.ts';
import { attempt, type Attempt } from './attempt.ts';
import type { RuntimeDeps } from './deps.ts';
import type { ReadyRun } from './handler-context.ts';
import { reportLeak } from './leaks.ts';
import { createConcurrencyLimits } from './admission.ts';
import { refused } from './not-run.ts';
import { actionOf, integrationIdOf, placeOf } from './prepare.ts';
import type { ExecuteOutcome, ExecuteRequest } from './request.ts';
import { subjectOf } from './report.ts';

/** Runs the actions of one service. */
export interface ActionRuntime {
  readonly catalogue: Catalogue;
  /**
   * Runs one action, or returns why it did not run (platform contract, runner). Concurrent deliveries of one message in this process share
   * one run and its outcome. Never rejects.
   */
  execute(request: ExecuteRequest): Promise<ExecuteOutcome>;
  /** Number of runs in progress. */
  running(): number;
  /** Called inside a listener of `unhandledRejection`: logs the rejection and returns true when a handler caused it. */
  ownsLeak(reason: unknown): boolean;
  /** Stops accepting runs. Abandons runs that do not end in time; their messages are redelivered. */
  stop(deadlineMs: number): Promise<void>;
}

const defaultLimits = { total: 100, perIntegration: 20 };
/** Time for abandoned runs to report their outcome at shutdown. */
const lastWordsMs = 1_000;

/** Whether the message is finished and needs no retry. */
const isDone = (outcome: ExecuteOutcome, isKept: boolean): boolean =>
  outcome.kind === 'complete' ||
  outcome.kind === 'skipped' ||
  (outcome.kind === 'failed' && !outcome.transient) ||
  // A permanent refusal has already written its dead letter; a redelivery must not write a second one.
  (isKept && outcome.kind === 'refused' && outcome.error.next !== 'retry');

const refusal = (deps: RuntimeDeps, request: ExecuteRequest, error: RelayError): ExecuteOutcome => {
  return refused(subjectOf(integrationIdOf(request), actionOf(deps, request), null), error).outcome;
};

const ended = async (deps: RuntimeDeps, request: ExecuteRequest, outcome: ExecuteOutcome): Promise<ExecuteOutcome> => {
  try {
    await request.onEnd?.(outcome);
    return outcome;
  } catch (error) {
    return refusal(deps, request, toRelayError(error));
  }
};

/**
 * Completes a run in order: durable writes, the mark of the message, the release of the lease. The next holder of the lease therefore sees
 * the mark.
 */
const close = async (
  deps: RuntimeDeps,
  request: ExecuteRequest,
  { result, begun }: Attempt,
): Promise<ExecuteOutcome> => {
  const outcome = request.onEnd ? await ended(deps, request, result.outcome) : result.outcome;
  const settling =
    begun.kind === 'new'
      ? begun.delivery.settle(isDone(outcome, request.onEnd !== undefined), result.handlerEnded)
      : undefined;
  await Promise.all([settling, result.release()]);
  return outcome;
};

/** Creates the runtime of a service; makes no calls before the first execution. */
export const createRuntime = (deps: RuntimeDeps): ActionRuntime => {
  const { clock, log } = deps.context;
  const limits = createConcurrencyLimits(deps.limits ?? defaultLimits);
  const runs = new AsyncLocalStorage<ReadyRun>();
  const limitedLog = createRateLimitedLog(deps.context);
  const stopping = new AbortController();
  const inFlight = new Map<string, Promise<ExecuteOutcome>>();
  const active = new Set<Promise<ExecuteOutcome>>();
  let draining = false;

  const once = async (request: ExecuteRequest): Promise<ExecuteOutcome> => {
    try {
      return await close(
        deps,
        request,
        await attempt({ deps, limits, runs, limitedLog, stopping: stopping.signal }, request),
      );
    } catch (error) {
      log.error({ err: error }, 'an action could not be executed');
      return refusal(deps, request, toRelayError(error));
    }
  };

  const track = (request: ExecuteRequest): Promise<ExecuteOutcome> => {
    const flight = once(request);
    active.add(flight);
    void flight.then(() => active.delete(flight));
    return flight;
  };

  return {
    catalogue: deps.catalogue,
    running: limits.running,
    ownsLeak: (reason) => reportLeak(runs.getStore(), reason, log),
    async execute(request) {
      const action = 'actionId' in request.wanted ? request.wanted.actionId : request.wanted.model;
      if (draining) return refusal(deps, request, new RelayError('action_stopped', { details: { action } }));
      const place = placeOf(deps, request);
      if (place === undefined) return track(request);
      const key = stateKey.done(place);
      const same = inFlight.get(key);
      if (same) return same;
      const flight = track(request);
      inFlight.set(key, flight);
      void flight.then(() => inFlight.delete(key));
      return flight;
    },
    async stop(deadlineMs) {
      draining = true;
      await endsWithin({ clock, ms: deadlineMs, ref: true }, Promise.all(active));
      stopping.abort();
      await endsWithin({ clock, ms: lastWordsMs, ref: true }, Promise.all(active));
    },
  };
};
