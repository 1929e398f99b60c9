import { at } from '../place.ts';
import type { KubeObject } from '../objects.ts';
import { servingPods, titleOf, type Pod } from './pods.ts';
import { selects } from './wiring.ts';

const numberAt = (object: unknown, path: string): number => Number(at(object, path) ?? Number.NaN);

/** Fewest pods of what a budget is about. */
const minReplicas = (objects: readonly KubeObject[], { owner }: Pod): number => {
  const scaler = objects.find(
    ({ kind, ...object }) =>
      ['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind) &&
      at(object, 'spec.scaleTargetRef.name') === owner.metadata.name,
  );
  if (scaler === undefined) return numberAt(owner, 'spec.replicas');
  return Number(at(scaler, 'spec.minReplicas') ?? at(scaler, 'spec.minReplicaCount'));
};

/** A budget always lets one pod go, or no node could be drained. */
export const drainable = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'PodDisruptionBudget')
    .flatMap((budget) => {
      const wanted = (at(budget, 'spec.selector.matchLabels') ?? {}) as Record<string, string>;
      const pods = servingPods(objects).filter(({ labels }) => selects(wanted, labels));
      const [most, least] = [numberAt(budget, 'spec.maxUnavailable'), numberAt(budget, 'spec.minAvailable')];
      const letsGo = most >= 1 || pods.every((pod) => least < minReplicas(objects, pod));
      return letsGo ? [] : [`${titleOf(budget)}: no node with its pods could be drained`];
    });

/** A new version takes over before an old pod goes. */
export const gapless = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'Deployment')
    .filter((deployment) => {
      // One that must not be doubled goes first.
      if (at(deployment, 'spec.strategy.type') === 'Recreate') return numberAt(deployment, 'spec.replicas') !== 1;
      const { maxUnavailable, maxSurge } = (at(deployment, 'spec.strategy.rollingUpdate') ?? {}) as Record<
        string,
        unknown
      >;
      return maxUnavailable !== 0 || maxSurge === 0 || maxSurge === undefined;
    })
    .map((deployment) => `${titleOf(deployment)}: a rollout takes pods away first`);

const envOf = (pod: Pod, name: string): string | undefined =>
  pod.spec.containers.flatMap(({ env = [] }) => env).find((variable) => variable.name === name)?.value;

/** Longest piece of work of each component, seconds; a variable may change it. */
export type Handlers = Readonly<Record<string, { readonly seconds: number; readonly variable?: string }>>;

const graceProblems = (handlers: Handlers, pod: Pod): string[] => {
  const [container] = pod.spec.containers;
  const handler = handlers[container?.name ?? ''];
  const grace = pod.spec.terminationGracePeriodSeconds ?? 30;
  const sleep = numberAt(container, 'lifecycle.preStop.sleep.seconds');
  const stop = Number(envOf(pod, 'STOP_GRACE_S'));
  const work = Number((handler?.variable && envOf(pod, handler.variable)) ?? handler?.seconds);
  return [
    ...(handler === undefined ? [`${pod.title}: nobody knows how long its work takes`] : []),
    ...(grace >= work + 30 ? [] : [`${pod.title}: a grace of ${grace} s is short for work of ${work} s`]),
    ...(sleep + stop < grace ? [] : [`${pod.title}: ${sleep} s and ${stop} s are not inside the grace of ${grace} s`]),
    ...(stop - 14 >= work ? [] : [`${pod.title}: the end gives ${stop - 14} s to work of ${work} s`]),
  ];
};

/**
 * A pod that goes first lets requests run out, then ends its work, both inside its grace, which is half a minute longer than the longest
 * piece of work.
 */
export const graceful =
  (handlers: Handlers) =>
  (objects: readonly KubeObject[]): string[] =>
    servingPods(objects).flatMap((pod) => graceProblems(handlers, pod));
