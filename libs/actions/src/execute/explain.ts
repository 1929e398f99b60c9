import { maskSecrets } from '../values/secrets.ts';
import { decide, mergedConfig, type Decision, type Facts } from './decide.ts';
import { check, type Problem } from './problems.ts';

/** Everything that decides about a run, for people. `decide` stops at the first obstacle; this lists all of them. */
export interface Explanation {
  readonly enabled: boolean;
  readonly configuration: 'valid' | 'invalid' | 'missing';
  /** Validation problems of the configuration, by field; never its values. */
  readonly problems: readonly Problem[];
  /** The switch of pull actions; null for other actions, and when the configuration does not set it. */
  readonly runOnSchedule: boolean | null;
  /** Stored configuration with the overrides, as the handler would receive it when valid; secrets masked. Null when there is none. */
  readonly config: unknown;
  /** The decision of the runtime. */
  readonly decision: Decision;
}

const switchOf = (action: Facts['action'], config: unknown): boolean | null => {
  if (action.type !== 'pull' || typeof config !== 'object' || config === null) return null;
  const value = (config as Readonly<Record<string, unknown>>)['run_on_schedule'];
  return typeof value === 'boolean' ? value : null;
};

/** Explains the runtime's decision about a run, computed by the same function. */
export const explain = (facts: Facts): Explanation => {
  const { action, enabled } = facts;
  const decision = decide(facts);
  const raw = mergedConfig(facts);
  if (raw === null)
    return { enabled, configuration: 'missing', problems: [], runOnSchedule: null, config: null, decision };
  const checked = check(action.config, raw);
  const problems = 'problems' in checked ? checked.problems : [];
  const read = 'problems' in checked ? raw : checked.value;
  return {
    enabled,
    configuration: 'problems' in checked ? 'invalid' : 'valid',
    problems,
    runOnSchedule: switchOf(action, read),
    config: maskSecrets(action.config, read),
    decision,
  };
};
