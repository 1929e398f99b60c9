import { type Logger, redact } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { ActionContext } from '../define/context.ts';
import { type ActionState, createActionState } from '../state/action-state.ts';
import type { Scrubber } from '../values/scrubber.ts';
import { maskedTexts, maskSecrets } from '../values/secrets.ts';
import type { RuntimeDeps } from './deps.ts';
import { type Prepared, reloadForGood, unsavedConfig } from './prepare.ts';
import type { Subject } from './report.ts';
import type { ExecuteRequest } from './request.ts';
import type { ActivityReporter } from './activity-reporter.ts';

/** The state of an unsaved integration: always empty; writes are dropped (platform contract, runner). */
export const noState: ActionState = {
  get: async () => ({}),
  set: async () => undefined,
  setIfAbsent: async () => true,
  update: async (change) => change({}),
  delete: async () => false,
};

const levels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;

/** The same log, with known secrets masked in every line. */
const scrubbedLog = (log: Logger, scrubber: Scrubber): Logger => {
  const clean = (value: unknown): unknown =>
    typeof value === 'string' ? scrubber.text(value) : scrubber.value(redact(value));
  const methods = levels.map((level) => [
    level,
    (...args: unknown[]): void => Reflect.apply(log[level], undefined, args.map(clean)),
  ]);
  return {
    ...(Object.fromEntries(methods) as Omit<Logger, 'child'>),
    child: (fields) => scrubbedLog(log.child(clean(fields) as Readonly<Record<string, unknown>>), scrubber),
  };
};

/** A run that takes place. */
export interface ReadyRun extends Omit<Prepared, 'decision'> {
  readonly request: ExecuteRequest;
  readonly config: Readonly<Record<string, unknown>>;
  readonly data: unknown;
  readonly subject: Subject;
}

/** Execution data that does not come from the request. */
interface Execution {
  readonly signal: AbortSignal;
  /** Aborts the signal if it is due. */
  readonly look: () => void;
  readonly timeUsed: () => number;
  readonly timeLeft: () => number;
  readonly reporter: ActivityReporter;
  /** Settings of other actions that the handler has read, by action id. */
  readonly reads: Map<string, unknown>;
  readonly goOn: (overrides?: Readonly<Record<string, unknown>>) => void;
}

const configReader =
  ({ catalogue, integrations }: RuntimeDeps, { request, subject }: ReadyRun, reads: Map<string, unknown>) =>
  async (actionId: string): Promise<unknown> => {
    const stored =
      'unsaved' in request.integration
        ? unsavedConfig(request.integration.unsaved, actionId)
        : await integrations.actionConfig(request.integration.id, actionId);
    reads.set(actionId, stored);
    const masked = maskSecrets(catalogue.get(actionId)?.config ?? z.unknown(), stored);
    subject.scrubber.add(maskedTexts(stored, masked));
    return stored ?? null;
  };

const currentConfigReader =
  (deps: RuntimeDeps, run: ReadyRun, read: ActionContext['configOf']): ActionContext['configOf'] =>
  async (actionId) => {
    if (run.integration.id !== null) await reloadForGood(deps, run.integration.id);
    return read(actionId);
  };

/** Creates the context of a handler for one run. */
export const createHandlerContext = (deps: RuntimeDeps, run: ReadyRun, execution: Execution): ActionContext => {
  const { clock, random, log } = deps.context;
  const { action, integration, request } = run;
  const { signal, look, reporter, timeUsed, timeLeft, goOn } = execution;
  const stateOf = (actionId: string): ActionState =>
    integration.id === null
      ? noState
      : createActionState({
          space: deps.state,
          tools: { clock, random },
          integrationId: integration.id,
          actionId,
          signal,
          look,
        });
  const configOf = configReader(deps, run, execution.reads);
  return {
    integration,
    actionId: action.id,
    config: run.config,
    data: run.data,
    attributes: 'attributes' in request.wanted ? request.wanted.attributes : {},
    triggeredBy: request.triggeredBy,
    deliveryId: request.message?.id,
    attempt: request.attempt ?? 1,
    receivedAt: request.receivedAt ?? clock.now(),
    origin: request.origin ?? null,
    traceparent: request.traceparent,
    signal,
    timeUsed,
    timeLeft,
    state: stateOf(action.id),
    stateOf,
    feed: reporter.feed,
    log: scrubbedLog(log.child({ integration: integration.id, action: action.id }), run.subject.scrubber),
    clock,
    random,
    tools: deps.tools,
    configOf,
    currentConfigOf: currentConfigReader(deps, run, configOf),
    goOn,
  };
};
