import { explain, type Action, type Explanation } from '@ranger-relay/actions';
import type { TriggeredBy } from '@ranger-relay/contracts';
import type { Integration } from '@ranger-relay/platform';
import { printable } from '@ranger-relay/terminal';
import type { Look } from './look.ts';
import { actionOfService, serviceOfType, type ActionService } from './services.ts';
import type { Source } from './options.ts';

/** The inspected run. */
export interface InspectRequest {
  readonly integrationId: string;
  readonly actionId: string;
  readonly overrides: Readonly<Record<string, unknown>> | null;
  readonly triggeredBy: TriggeredBy;
}

/** Everything that decides about a run, with its source. */
export interface Inspection {
  readonly integration: Integration;
  readonly service: ActionService;
  readonly action: Action;
  readonly explanation: Explanation;
  readonly integrationSource: Source;
  readonly configSource: Source;
  /** The platform has no configuration of the action. */
  readonly nothingStored: boolean;
}

/** The configuration of an inspected run, as `--output json` prints it. */
export interface InspectedConfiguration extends Pick<Explanation, 'problems' | 'config'> {
  readonly status: Explanation['configuration'];
  readonly source: Source;
}

/** The configuration of an inspected run. Secrets are masked. */
export const configurationOf = ({ explanation, configSource: source }: Inspection): InspectedConfiguration => {
  const { configuration: status, problems, config } = explanation;
  return { status, source, problems, config };
};

/** What is wrong with a configuration, one line each. */
export const problemLines = ({ problems }: Pick<InspectedConfiguration, 'problems'>): string[] =>
  problems.map(({ path, message }) => printable(path === '' ? message : `${path}: ${message}`));

/**
 * Computes what the runtime would decide about a run, without running it. Loads the configuration first, as the services do.
 * @throws RelayError `integration_unknown`, `integration_type_unserved`, `action_not_of_type`; of the platform and the store
 */
export const inspect = async (
  look: Look,
  services: readonly ActionService[],
  { integrationId, actionId, overrides, triggeredBy }: InspectRequest,
): Promise<Inspection> => {
  const stored = await look.config(integrationId, actionId);
  const { value: integration, source: integrationSource } = await look.integration(integrationId);
  const service = serviceOfType(services, integrationId, integration.type.value);
  const action = actionOfService(service, actionId);
  const { enabled } = integration;
  const facts = { integrationId, action, enabled, stored: stored.value, overrides, triggeredBy, data: undefined };
  return {
    integration,
    service,
    action,
    explanation: explain(facts),
    integrationSource,
    configSource: stored.source,
    nothingStored: stored.value === null,
  };
};
