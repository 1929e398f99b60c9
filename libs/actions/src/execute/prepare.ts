import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Integration } from '@ranger-relay/platform';
import type { Action } from '../define/action.ts';
import type { RunIntegration } from '../define/context.ts';
import type { DeliveryPlace } from '../state/keys.ts';
import { decide, type Decision } from './decide.ts';
import type { RuntimeDeps } from './deps.ts';
import type { ExecuteRequest, UnsavedIntegration } from './request.ts';

/** A request with everything that was loaded for it. */
export interface Prepared {
  readonly integration: RunIntegration;
  readonly action: Action;
  readonly decision: Decision;
}

type Sources = Pick<RuntimeDeps, 'catalogue' | 'integrations' | 'slug'>;

const unknownAction = ({ wanted }: ExecuteRequest): RelayError =>
  'actionId' in wanted
    ? new RelayError('action_unknown', { details: { action: wanted.actionId } })
    : new RelayError('data_model_unknown', { details: { model: wanted.model } });

/** The action of a request. */
export const actionOf = (
  { catalogue }: Pick<RuntimeDeps, 'catalogue'>,
  { wanted }: ExecuteRequest,
): Action | undefined => ('actionId' in wanted ? catalogue.get(wanted.actionId) : catalogue.ofModel(wanted.model));

/** The integration of a request; null for an unsaved one. */
export const integrationIdOf = ({ integration }: ExecuteRequest): string | null =>
  'id' in integration ? integration.id : null;

/** The identity of a request's message; undefined when it has no id. */
export const placeOf = (
  deps: Pick<RuntimeDeps, 'catalogue' | 'slug'>,
  request: ExecuteRequest,
): DeliveryPlace | undefined => {
  const { message, wanted } = request;
  if (message === undefined) return undefined;
  const named = 'actionId' in wanted ? wanted.actionId : wanted.model;
  const actionId = actionOf(deps, request)?.id ?? named;
  return { slug: deps.slug, integrationId: integrationIdOf(request) ?? '', actionId, ...message };
};

/** Refuses an integration of another type, whose settings have another meaning. @throws RelayError `integration_other_type` */
const checkType = ({ slug }: Pick<RuntimeDeps, 'slug'>, integration: string, type: string): void => {
  if (type.trim().toLowerCase() === slug) return;
  throw new RelayError('integration_other_type', { details: { integration, type, slug } });
};

const factsOf = (request: ExecuteRequest) => ({
  overrides: request.overrides ?? null,
  triggeredBy: request.triggeredBy,
  data: 'data' in request.wanted ? request.wanted.data : undefined,
});

const shown = ({ id, name, base_url: baseUrl, type }: Integration): RunIntegration => ({
  id,
  name: name ?? null,
  baseUrl: baseUrl ?? null,
  type: type.value,
});

/** Whether the action tests a configuration that the operator has just saved, so that a cached one must not be used. */
export const judgesConfig = ({ type, executable = false }: Action): boolean => type === 'auth' || executable;

/** Loads the configuration together with the integration: one call to the platform returns both. */
const prepareSaved = async (sources: Sources, request: ExecuteRequest, id: string): Promise<Prepared> => {
  const action = actionOf(sources, request);
  if (action && judgesConfig(action)) await sources.integrations.reload(id);
  const configuring = action ? sources.integrations.actionConfig(id, action.id) : Promise.resolve(null);
  configuring.catch(() => undefined);
  const integration = await sources.integrations.integration(id);
  if (!integration) throw new RelayError('integration_unknown', { details: { integration: id } });
  checkType(sources, id, integration.type.value);
  if (!action) throw unknownAction(request);
  const { enabled } = integration;
  const stored = enabled ? await configuring : null;
  const decision = decide({ integrationId: id, action, enabled, stored, ...factsOf(request) });
  return { integration: shown(integration), action, decision };
};

/** Settings of an action of an unsaved integration; null when there are none. */
export const unsavedConfig = ({ configurations }: UnsavedIntegration, actionId: string): unknown =>
  Object.hasOwn(configurations, actionId) ? configurations[actionId] : null;

const foreground = new Set(['auth', 'generic']);

const prepareUnsaved = (sources: Sources, request: ExecuteRequest, unsaved: UnsavedIntegration): Prepared => {
  const action = actionOf(sources, request);
  if (!action) throw unknownAction(request);
  if (unsaved.type !== null) checkType(sources, 'that is not saved', unsaved.type);
  if (!foreground.has(action.type)) throw new RelayError('integration_unsaved', { details: { action: action.id } });
  const stored = unsavedConfig(unsaved, action.id);
  const decision = decide({ integrationId: 'not saved', action, enabled: true, stored, ...factsOf(request) });
  return {
    integration: { id: null, name: null, baseUrl: unsaved.baseUrl, type: unsaved.type ?? '' },
    action,
    decision,
  };
};

/** Maximum age of cached data for a decision that cannot be undone, ms; older data is loaded again. */
const currentMs = 10_000;

/**
 * Loads the integration again before a decision that cannot be undone.
 * @throws RelayError `platform_unavailable` when the platform does not answer
 */
export const reloadForGood = async ({ integrations }: Pick<Sources, 'integrations'>, id: string): Promise<void> => {
  if (await integrations.reload(id, currentMs)) return;
  const reason = 'commands that their configuration refuses wait until the configuration can be reloaded';
  throw new RelayError('platform_unavailable', { details: { reason } });
};

const byConfiguration = [
  'integration_disabled',
  'integration_unknown',
  'integration_other_type',
  'action_config_missing',
  'action_config_invalid',
] as const;

const isByConfiguration = (thing: unknown): boolean => isRelayError(thing, ...byConfiguration);

/** Prepares a run with pushed data. Refused data is lost, so a refusal is confirmed with reloaded data. */
const preparePushed = async (sources: Sources, request: ExecuteRequest, id: string): Promise<Prepared> => {
  try {
    const prepared = await prepareSaved(sources, request, id);
    if (prepared.decision.kind !== 'refuse' || !isByConfiguration(prepared.decision.error)) return prepared;
  } catch (error) {
    if (!isByConfiguration(error)) throw error;
  }
  await reloadForGood(sources, id);
  return prepareSaved(sources, request, id);
};

/**
 * Loads everything that decides about a run, in the order of the platform contract (runner).
 * @throws RelayError `integration_unknown`, `integration_other_type`, `action_unknown`, `data_model_unknown`, `integration_unsaved`; of the
 * platform when it is needed and unavailable
 */
export const prepare = async (sources: Sources, request: ExecuteRequest): Promise<Prepared> => {
  if (!('id' in request.integration)) return prepareUnsaved(sources, request, request.integration.unsaved);
  const { id } = request.integration;
  return 'model' in request.wanted ? preparePushed(sources, request, id) : prepareSaved(sources, request, id);
};
