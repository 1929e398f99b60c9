import type { TriggeredBy } from '@ranger-relay/contracts';
import { isObject, RelayError } from '@ranger-relay/errors';
import type { Action } from '../define/action.ts';
import { check, sentenceOf, type Problem } from './problems.ts';
import type { SkipReason } from './request.ts';

/** The input of the decision about a run, once integration and handler are known. */
export interface Facts {
  readonly integrationId: string;
  readonly action: Pick<Action, 'id' | 'type' | 'config' | 'data'>;
  readonly enabled: boolean;
  /** Stored configuration data; null when there is none. */
  readonly stored: unknown;
  readonly overrides: Readonly<Record<string, unknown>> | null;
  readonly triggeredBy: TriggeredBy;
  /** The pushed data; undefined when there is none. */
  readonly data: unknown;
}

/** The decision about a run. `raw` is the merged configuration before validation, null when there is none. */
export type Decision =
  | {
      readonly kind: 'run';
      readonly config: Readonly<Record<string, unknown>>;
      readonly data: unknown;
      readonly raw: unknown;
    }
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly problems: readonly Problem[]; readonly raw: unknown }
  | { readonly kind: 'refuse'; readonly error: RelayError; readonly raw: unknown };

/** Whether the run is a pull that was not requested manually. */
export const isScheduled = ({ action, triggeredBy }: Pick<Facts, 'action' | 'triggeredBy'>): boolean =>
  action.type === 'pull' && triggeredBy !== 'manual';

/**
 * The configuration of a run: the stored members with the overrides applied, one level deep; null when there is neither. An action whose
 * model has no members needs none. A stored value that is not an object stays unchanged, and fails validation.
 */
export const mergedConfig = ({
  action,
  stored,
  overrides,
}: Pick<Facts, 'action' | 'stored' | 'overrides'>): unknown => {
  const none = stored === null || stored === undefined;
  if (none) return overrides ?? (Object.keys(action.config.shape).length === 0 ? {} : null);
  return isObject(stored) ? { ...stored, ...overrides } : stored;
};

/**
 * Decides about a run in the order of the platform contract (runner): enabled, configuration, validation, `run_on_schedule`, data.
 * Scheduled runs are skipped where others are refused.
 */
export const decide = (facts: Facts): Decision => {
  const { action, integrationId: integration } = facts;
  const scheduled = isScheduled(facts);
  const raw = mergedConfig(facts);
  const stop = (reason: SkipReason, error: RelayError, problems: readonly Problem[] = []): Decision =>
    scheduled ? { kind: 'skip', reason, problems, raw } : { kind: 'refuse', error, raw };

  if (!facts.enabled)
    return stop('integration_disabled', new RelayError('integration_disabled', { details: { integration } }));
  if (raw === null) {
    const details = { integration, action: action.id };
    return stop('no_configuration', new RelayError('action_config_missing', { details }));
  }
  const config = check(action.config, raw);
  if ('problems' in config) {
    const details = { action: action.id, problems: sentenceOf(config.problems) };
    return stop('invalid_configuration', new RelayError('action_config_invalid', { details }), config.problems);
  }
  const read = config.value as Readonly<Record<string, unknown>>;
  if (scheduled && read['run_on_schedule'] !== true)
    return { kind: 'skip', reason: 'run_on_schedule_disabled', problems: [], raw };
  const data = action.data ? check(action.data, facts.data) : { value: facts.data };
  if ('problems' in data) {
    const details = { action: action.id, problems: sentenceOf(data.problems) };
    return { kind: 'refuse', error: new RelayError('action_data_invalid', { details }), raw };
  }
  return { kind: 'run', config: read, data: data.value, raw };
};
