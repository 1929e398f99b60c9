import { activityLevel } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import type { Action } from '../define/action.ts';
import { stateKey } from '../state/keys.ts';
import { createScrubber } from '../values/scrubber.ts';
import { type Admission, admitAlone, type ConcurrencyLimits } from './admission.ts';
import { beginDelivery, type Begun } from './delivery.ts';
import type { RuntimeDeps } from './deps.ts';
import type { ReadyRun } from './handler-context.ts';
import type { LeakWatch } from './leaks.ts';
import { knownAlready, notAlone, notRun, refused, tooBusy } from './not-run.ts';
import { actionOf, integrationIdOf, placeOf, prepare } from './prepare.ts';
import type { Problem } from './problems.ts';
import { subjectOf } from './report.ts';
import type { ExecuteRequest } from './request.ts';
import { carryOut, type RunResult } from './run.ts';

const hourMs = 3_600_000;

/**
 * Tells people that scheduled runs are skipped because of their configuration: one WARNING entry an hour, integration and action, over all
 * processes (platform contract, runner). Without the store nothing is told.
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

/** What one process executes with. */
interface AttemptDependencies {
  readonly deps: RuntimeDeps;
  readonly limits: ConcurrencyLimits;
  readonly leaks: LeakWatch<ReadyRun>;
  /** Aborted when the process ends. */
  readonly stopping: AbortSignal;
}

/** What became of a wish, and where its message stood before. */
export interface Attempt {
  readonly ran: RunResult;
  readonly begun: Begun;
}

/** A handler that does not end after it was given up keeps its place for so long. */
const placeMs = 30_000;

const keepPlace = ({ context: { clock } }: RuntimeDeps, { handlerEnded }: RunResult, free: () => void): void => {
  const timer = clock.after(placeMs, free);
  void handlerEnded.finally(() => {
    timer.cancel();
    free();
  });
};

/** Everything up to the decision, which answers all that is not run. */
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

/** The action whose lease a run needs. */
const leaseOf = (action: Action | undefined): string | undefined =>
  action?.type === 'pull' ? action.id : action?.exclusive;

const admit = async ({ state: space, context }: RuntimeDeps, run: ReadyRun): Promise<Admission | undefined> => {
  const { action, integration, request } = run;
  const actionId = leaseOf(action);
  if (actionId === undefined || integration.id === null) return undefined;
  // Another run of a pull does the same; nothing does the work of an action that only waits for it.
  const isOther = actionId !== action.id;
  const mustRun = isOther || request.selfTriggered === true || (request.attempt ?? 1) > 1;
  const deliveryId = request.message?.id;
  try {
    const ids = { integrationId: integration.id, actionId };
    return await admitAlone({ ...context, space }, { ...ids, deliveryId, mustRun });
  } catch (error) {
    return { kind: 'later', error: toRelayError(error) };
  }
};

/** The lease is asked for before the mark of the message, so that no run fits between the end of another and its mark. */
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
    return { begun, ran: knownAlready(subject, begun, request.message) ?? tooBusy(subject) };
  }
  const [admission, begun] = await Promise.all([admit(parts.deps, run), claim()]);
  const lease = admission?.kind === 'alone' ? admission.lease : undefined;
  const not = knownAlready(subject, begun, request.message) ?? (admission && notAlone(subject, admission));
  if (not) {
    free();
    await lease?.release();
    return { begun, ran: not };
  }
  const ran = await carryOut({ ...parts, began, lease }, run);
  keepPlace(parts.deps, ran, free);
  return { begun, ran };
};

/**
 * Carries out one wish. The message is claimed at once, beside the loading of configuration; that of a run with a lease of its own is only
 * looked up.
 */
export const attempt = async (parts: AttemptDependencies, request: ExecuteRequest): Promise<Attempt> => {
  const { deps } = parts;
  const { clock, random, log } = deps.context;
  const began = clock.monotonic();
  const hasLease = leaseOf(actionOf(deps, request)) !== undefined && integrationIdOf(request) !== null;
  const begin = (): Promise<Begun> =>
    beginDelivery({ space: deps.state, clock, random, log }, placeOf(deps, request), hasLease);
  const early = hasLease ? undefined : begin();
  const claim = (): Promise<Begun> => early ?? begin();
  const found = await decideOver(deps, request);
  if (!('outcome' in found)) return start(parts, found, began, claim);
  const begun = await claim();
  const subject = subjectOf(integrationIdOf(request), actionOf(deps, request), null);
  return { begun, ran: knownAlready(subject, begun, request.message) ?? found };
};
