import { type Action, maskSecrets, stateKey } from '@ranger-relay/actions';
import { type Paint, jsonDocument } from '@ranger-relay/terminal';
import { withoutSlash } from '../actions/http.ts';
import { configurationOf, inspect, type InspectedConfiguration, problemLines } from '../actions/inspect.ts';
import { sourceWords } from '../actions/options.ts';
import type { Workbench } from '../actions/workbench.ts';
import { type Verdict, verdictOf } from '../why/format.ts';
import { type ExecuteBody, executeUrl } from './execute.ts';
import type { Overrides } from './place.ts';

/** Overrides in which the fields that the action's model marks as secret are masked. */
const maskedOverrides = ({ config }: Pick<Action, 'config'>, overrides: Overrides | null): Overrides | null =>
  overrides === null ? null : (maskSecrets(config, overrides) as Overrides);

/** A planned run, as `--dry-run --output json` prints it. Secrets are masked. */
export interface DryRun {
  readonly request: { readonly method: 'POST'; readonly url: string; readonly body: ExecuteBody };
  readonly configuration: InspectedConfiguration;
  readonly verdict: Verdict;
}

/** Computes a planned run, without running it. @throws as `inspect`; RelayError of the store */
export const dryRun = async (
  { look, services, kv }: Workbench,
  body: ExecuteBody,
  url: string | undefined,
): Promise<DryRun> => {
  const { integration_id: integrationId, action_id: actionId, config_overrides: overrides } = body;
  const wish = { integrationId, actionId, overrides, triggeredBy: body.triggered_by };
  const inspection = await inspect(look, services, wish);
  const { action, service, explanation } = inspection;
  const running = action.type === 'pull' && (await kv.state.get(stateKey.run(integrationId, actionId))) !== null;
  const place = { service: service.name, url: withoutSlash(url ?? (await service.url())) };
  return {
    request: {
      method: 'POST',
      url: executeUrl(place),
      body: { ...body, config_overrides: maskedOverrides(action, overrides) },
    },
    configuration: configurationOf(inspection),
    verdict: verdictOf(explanation, { running }),
  };
};

/** A dry run for people. */
export const dryRunLines = ({ request, configuration, verdict }: DryRun, paint: Paint): string[] => [
  `${request.method} ${request.url}`,
  jsonDocument(request.body),
  `configuration: ${configuration.status}; from ${sourceWords(configuration.source, configuration.status === 'missing')}`,
  ...problemLines(configuration).map((line) => `  ${line}`),
  ...(configuration.config === null ? [] : [jsonDocument(configuration.config)]),
  verdict.would_run
    ? paint.green('It would run; nothing was sent.')
    : `${paint.red(`It would not run: ${verdict.reason}`)}. ${verdict.remedy}`,
];
