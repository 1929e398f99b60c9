import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import type { Wire } from '../../harness/wire.ts';
import { at } from '../place.ts';
import type { KubeObject } from '../objects.ts';

export type Container = Wire<V1Container>;

/** A pod, or what makes pods. */
export interface Pod {
  readonly owner: KubeObject;
  /** Kind and name of what makes it, for sentences. */
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Wire<V1PodSpec>;
}

const templates: Readonly<Record<string, string>> = {
  Deployment: 'spec.template',
  StatefulSet: 'spec.template',
  DaemonSet: 'spec.template',
  Job: 'spec.template',
  CronJob: 'spec.jobTemplate.spec.template',
};

/** How an object is called in a sentence. */
export const titleOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

/** Every pod that objects make, hooks and tests included. */
export const podsOf = (objects: readonly KubeObject[]): readonly Pod[] =>
  objects.flatMap((owner) => {
    const path = templates[owner.kind];
    const pod = owner.kind === 'Pod' ? owner : path === undefined ? undefined : at(owner, path);
    if (pod === undefined) return [];
    const { metadata, spec } = pod as { metadata?: { labels?: Record<string, string> }; spec: Pod['spec'] };
    return [{ owner, title: titleOf(owner), labels: metadata?.labels ?? {}, spec }];
  });

/** Pods that serve until they are told to stop. */
export const servingPods = (objects: readonly KubeObject[]): readonly Pod[] =>
  podsOf(objects).filter(({ owner }) => ['Deployment', 'StatefulSet'].includes(owner.kind));

/** All containers of a pod with their names in sentences. */
export const containersOf = ({ title, spec }: Pod): readonly { title: string; container: Container }[] =>
  [...(spec.initContainers ?? []), ...spec.containers].map((container) => ({
    title: `${title}, container ${container.name}`,
    container,
  }));
