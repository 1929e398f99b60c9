import { z } from 'zod';
import type { ActionContext } from '../define/context.ts';
import { createActionState, type ActionState } from '../state/action-state.ts';
import { noState } from '../state/unsaved.ts';
import { scrubbedLog } from '../values/scrubbed-log.ts';
import { maskedTexts, maskSecrets } from '../values/secrets.ts';
import type { RuntimeDeps } from './deps.ts';
import { reloadForGood, unsavedConfig, type Prepared } from './prepare.ts';
import type { Subject } from './report.ts';
import type { ExecuteRequest } from './request.ts';
import type { Telling } from './telling.ts';

/** A run that takes place. */
export interface ReadyRun extends Omit<Prepared, 'decision'> {
  readonly request: ExecuteRequest;
  readonly config: Readonly<Record<string, unknown>>;
  readonly data: unknown;
  readonly subject: Subject;
}

/** What belongs to the execution, not to the wish. */
export interface Execution {
  readonly signal: AbortSignal;
  /** Has the signal aborted when that is due. */
  readonly look: () => void;
  readonly timeUsed: () => number;
  readonly timeLeft: () => number;
  readonly telling: Telling;
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

/** What a handler gets for one run. */
export const createHandlerContext = (deps: RuntimeDeps, run: ReadyRun, execution: Execution): ActionContext => {
  const { clock, random, log } = deps.context;
  const { action, integration, request } = run;
  const { signal, look, telling, timeUsed, timeLeft, goOn } = execution;
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
    feed: telling.feed,
    log: scrubbedLog(log.child({ integration: integration.id, action: action.id }), run.subject.scrubber),
    clock,
    random,
    tools: deps.tools,
    configOf,
    currentConfigOf: currentConfigReader(deps, run, configOf),
    goOn,
  };
};
