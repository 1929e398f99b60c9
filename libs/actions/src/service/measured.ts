import type { Context } from '@ranger-relay/runtime';
import type { Catalogue } from '../define/catalogue.ts';
import type { ExecuteOutcome, ExecuteRequest } from '../execute/request.ts';
import type { ActionRuntime } from '../execute/runtime.ts';

/** Names come from outside; only those of the catalogue become labels. */
const labelOf = (catalogue: Catalogue, { wanted }: ExecuteRequest): string =>
  ('actionId' in wanted ? catalogue.get(wanted.actionId) : catalogue.ofModel(wanted.model))?.id ?? 'unknown';

const ran: ReadonlySet<ExecuteOutcome['kind']> = new Set(['complete', 'failed', 'timed_out']);

/** A runtime whose runs are counted and timed by action; one that was not started has no duration. */
export const measured = (
  runtime: ActionRuntime,
  { clock, metrics }: Pick<Context, 'clock' | 'metrics'>,
): ActionRuntime => ({
  ...runtime,
  async execute(request) {
    const action = labelOf(runtime.catalogue, request);
    const began = clock.monotonic();
    const outcome = await runtime.execute(request);
    metrics.count('relay_action_runs_total', { action, outcome: outcome.kind });
    if (ran.has(outcome.kind)) metrics.observe('relay_action_seconds', (clock.monotonic() - began) / 1_000, { action });
    return outcome;
  },
});
