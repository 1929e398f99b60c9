import type { Clock, Context } from '@ranger-relay/runtime';
import { type Condition, conditionNamed } from '../kube/conditions.ts';
import type { Informer } from '../kube/informer.ts';
import type { KubeObject, Resource } from '../kube/object.ts';

/** States that objects are counted by, in order of evaluation. */
export const states = ['ready', 'drift', 'unchecked', 'stalled', 'approval', 'working', 'other'] as const;
export type State = (typeof states)[number];

/** States of objects that are not ready, by the reason of their Ready condition. */
const reasons: ReadonlyMap<string, State> = new Map([
  ['DriftFound', 'drift'],
  ['BundleChanged', 'drift'],
  ['CheckFailed', 'unchecked'],
]);

const conditionsIn = ({ status }: KubeObject): readonly Condition[] =>
  (status as { conditions?: readonly Condition[] } | undefined)?.conditions ?? [];

/** State of an object according to its conditions. */
export const stateOf = (object: KubeObject): State => {
  const conditions = conditionsIn(object);
  const is = (type: string): boolean => conditionNamed(conditions, type)?.status === 'True';
  if (is('Ready')) return 'ready';
  const known = reasons.get(conditionNamed(conditions, 'Ready')?.reason ?? '');
  if (known) return known;
  if (is('Stalled')) return 'stalled';
  if (is('ApprovalRequired')) return 'approval';
  return is('Reconciling') ? 'working' : 'other';
};

/** Options of the state counts. */
export interface StateCountOptions extends Pick<Context, 'clock' | 'metrics'> {
  readonly resource: Resource;
  readonly informer: { readonly cache: Pick<Informer['cache'], 'values'> } & Pick<Informer, 'onChange'>;
}

/** Debounce interval of recounts, ms. */
const countAfterMs = 1_000;

/** Exports the number of objects by state, one second after each change. Returns a function that stops it. */
export const countStates = ({ resource, informer, clock, metrics }: StateCountOptions): (() => void) => {
  const count = (): void => {
    const found = Map.groupBy(informer.cache.values(), stateOf);
    for (const state of states)
      metrics.set('relay_sync_objects', found.get(state)?.length ?? 0, { kind: resource.kind, state });
  };
  let timer: ReturnType<Clock['after']> | undefined;
  informer.onChange(() => {
    timer ??= clock.after(countAfterMs, () => {
      timer = undefined;
      count();
    });
  });
  count();
  return () => timer?.cancel();
};
