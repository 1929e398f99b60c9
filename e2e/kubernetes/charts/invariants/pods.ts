import { at } from '../place.ts';
import type { KubeObject } from '../objects.ts';

/** One container, as far as the rules look. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly envFrom?: readonly object[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly hostPort?: number }[];
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string | number>>;
    readonly limits?: Readonly<Record<string, string | number>>;
  };
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly [more: string]: unknown;
}

/** A pod, or what makes pods. */
export interface Pod {
  readonly owner: KubeObject;
  /** Kind and name of what makes it, for sentences. */
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly volumes?: readonly Readonly<Record<string, unknown>>[];
    readonly terminationGracePeriodSeconds?: number;
    readonly automountServiceAccountToken?: boolean;
    readonly [more: string]: unknown;
  };
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
