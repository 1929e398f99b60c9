import type { AsyncLocalStorage } from 'node:async_hooks';
import { activityLevel } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import type { RateLimitedLog } from '@ranger-relay/runtime';
import { stateKey } from '../state/keys.ts';
import { createScrubber } from '../values/scrubber.ts';
import { admit, type ConcurrencyLimits } from './admission.ts';
import { beginDelivery, type Begun } from './delivery.ts';
import type { RuntimeDeps } from './deps.ts';
import type { ReadyRun } from './handler-context.ts';
import { knownAlready, notAlone, notRun, refused, tooBusy } from './not-run.ts';
import { actionOf, integrationIdOf, placeOf, prepare } from './prepare.ts';
import type { Problem } from './problems.ts';
import { subjectOf } from './report.ts';
import type { ExecuteRequest } from './request.ts';
import { runAction, type RunResult } from './run.ts';

const hourMs = 3_600_000;

/**
 * Warns in the activity log that scheduled runs are skipped because of an invalid configuration: one WARNING entry per hour, integration
 * and action, across all processes (platform contract, runner). Without the store there is no entry.
 */
const warnOfConfig = async (
  { state, activity, context: { log } }: Pick<RuntimeDeps, 'state' | 'activity' | 'context'>,
  { integrationId, actionId }: { readonly integrationId: string; readonly actionId: string },
  problems: readonly Problem[],
): Promise<void> => {
  try {
    const key = stateKey.invalidConfigWarning(integrationId, actionId);
    if (!(await state.setIfAbsent(key, '1', { ttlMs: hourMs }))) return;
    activity.action('CustomLog', integrationId, actionId, {
      title: `Scheduled runs of ${actionId} are skipped: its configuration is not valid`,
      level: activityLevel.warning,
      data: createScrubber().value({ problems }),
    });
  } catch (error) {
    log.debug({ err: error }, 'an hourly warning was left out');
  }
};

/** The dependencies of executing runs in one process. */
interface AttemptDependencies {
  readonly deps: RuntimeDeps;
  readonly limits: ConcurrencyLimits;
  readonly runs: AsyncLocalStorage<ReadyRun>;
  readonly limitedLog: RateLimitedLog;
  /** Aborted when the process ends. */
  readonly stopping: AbortSignal;
}

/** The result of a request, and the state of its message before the run. */
export interface Attempt {
  readonly result: RunResult;
  readonly begun: Begun;
}

/** How long an abandoned handler that does not end keeps its slot. */
const placeMs = 30_000;

const keepPlace = ({ context: { clock } }: RuntimeDeps, { handlerEnded }: RunResult, free: () => void): void => {
  const timer = clock.after(placeMs, free);
  void handlerEnded.finally(() => {
    timer.cancel();
    free();
  });
};

/** Prepares the run and decides about it; a run that does not take place is answered here. */
const decideOver = async (deps: RuntimeDeps, request: ExecuteRequest): Promise<ReadyRun | RunResult> => {
  const integrationId = integrationIdOf(request);
  try {
    const { integration, action, decision } = await prepare(deps, request);
    const subject = subjectOf(integrationId, action, decision.raw);
    if (decision.kind === 'refuse') return refused(subject, decision.error);
    if (decision.kind === 'run')
      return { integration, action, request, subject, config: decision.config, data: decision.data };
    if (decision.reason === 'invalid_configuration' && integrationId !== null)
      void warnOfConfig(deps, { integrationId, actionId: action.id }, decision.problems);
    return notRun({ kind: 'skipped', reason: decision.reason });
  } catch (error) {
    const known = toRelayError(error);
    if (known.code === 'internal') deps.context.log.error({ err: error }, 'an action could not be prepared');
    return refused(subjectOf(integrationId, actionOf(deps, request), null), known);
  }
};

/** Takes the lease before it reads the mark of the message, so that no other run can end and set its mark in between. */
const start = async (
  parts: AttemptDependencies,
  run: ReadyRun,
  began: number,
  claim: () => Promise<Begun>,
): Promise<Attempt> => {
  const { subject, integration, request } = run;
  const free = parts.limits.take(integration.id ?? '');
  if (!free) {
    const begun = await claim();
    return { begun, result: knownAlready(subject, begun, request.message) ?? tooBusy(subject) };
  }
  const [admission, begun] = await Promise.all([admit(parts.deps, run), claim()]);
  const lease = admission?.kind === 'alone' ? admission.lease : undefined;
  const not = knownAlready(subject, begun, request.message) ?? (admission && notAlone(subject, admission));
  if (not) {
    free();
    await lease?.release();
    return { begun, result: not };
  }
  const result = await runAction({ ...parts, began, lease }, run);
  keepPlace(parts.deps, result, free);
  return { begun, result };
};

/**
 * Executes one request. The message is claimed while the configuration loads; the message of a run with its own lease is only looked up.
 */
export const attempt = async (parts: AttemptDependencies, request: ExecuteRequest): Promise<Attempt> => {
  const { deps, limitedLog } = parts;
  const { clock, random } = deps.context;
  const began = clock.monotonic();
  const hasLease = actionOf(deps, request)?.type === 'pull' && integrationIdOf(request) !== null;
  const begin = (): Promise<Begun> =>
    beginDelivery({ space: deps.state, clock, random, limitedLog }, placeOf(deps, request), hasLease);
  const early = hasLease ? undefined : begin();
  const claim = (): Promise<Begun> => early ?? begin();
  const found = await decideOver(deps, request);
  if (!('outcome' in found)) return start(parts, found, began, claim);
  const begun = await claim();
  const subject = subjectOf(integrationIdOf(request), actionOf(deps, request), null);
  return { begun, result: knownAlready(subject, begun, request.message) ?? found };
};
