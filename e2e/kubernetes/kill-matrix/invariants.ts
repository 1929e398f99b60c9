import {
  commandLabel,
  type Job,
  jobs,
  patrolSyncs,
  type Pod,
  pods,
  rollbacks,
  wantedAnnotation,
} from '@ranger-relay/operator';
import {
  createInformer,
  keyOf,
  leases,
  type Informer,
  type KubeObject,
  type Lease,
  type Resource,
} from '@ranger-relay/operator-kit';
import { testContext } from '@ranger-relay/runtime/testing';
import type { Place } from './place.ts';

/** Sees everything that happens in a place, and whether what must never be is. */
export interface Invariants {
  readonly syncs: Informer;
  readonly rollbacks: Informer;
  readonly jobs: Informer<Job>;
  readonly pods: Informer<Pod>;
  readonly leases: Informer<Lease>;
  /** What must never be and was, a sentence each. */
  readonly broken: readonly string[];
  find(resource: typeof patrolSyncs, name: string): KubeObject | undefined;
  stop(): Promise<void>;
}

const writing: ReadonlySet<string> = new Set(['apply', 'resume', 'undo']);
const commandOf = ({ metadata }: KubeObject): string => metadata.labels?.[commandLabel] ?? '';

/** Plans that Jobs were let go for, by the uid of the Job. */
const watchApplies = (informer: Informer<Job>, tell: (text: string) => void): void => {
  const applied = new Map<string, string>();
  informer.onChange(({ object }) => {
    if (!object || commandOf(object) !== 'apply' || object.spec?.suspend) return;
    const { uid = '', annotations } = object.metadata;
    const plan = String((JSON.parse(annotations?.[wantedAnnotation] ?? '{}') as { planHash?: string }).planHash);
    const before = applied.get(plan) ?? uid;
    if (before !== uid) tell(`plan ${plan} is applied twice`);
    applied.set(plan, before);
  });
};

/** One pod at a time writes to a site. */
const watchWriters = (informer: Informer<Pod>, tell: (text: string) => void): void => {
  informer.onChange(() => {
    const writers = informer.cache
      .values()
      .filter((pod) => writing.has(commandOf(pod)) && pod.status?.phase === 'Running')
      .map(({ metadata }) => metadata.name);
    if (writers.length > 1) tell(`they write at once: ${writers.join(', ')}`);
  });
};

/** Begins to look at a place. */
export const openWitness = async ({ api, namespace }: Place): Promise<Invariants> => {
  const context = testContext();
  const of = <T extends KubeObject>(resource: Resource<T>): Informer<T> =>
    createInformer({ ...context, api, resource, namespace });
  const informers = {
    syncs: of(patrolSyncs),
    rollbacks: of(rollbacks),
    jobs: of(jobs),
    pods: of(pods),
    leases: of(leases),
  };
  const broken: string[] = [];
  const tell = (text: string): void => void (broken.includes(text) || broken.push(text));
  watchApplies(informers.jobs, tell);
  watchWriters(informers.pods, tell);
  const all = Object.values(informers);
  for (const informer of all) informer.start();
  await Promise.all(all.map((informer) => informer.whenSynced()));
  return {
    ...informers,
    broken,
    find: (resource, name) =>
      all.find((informer) => informer.resource === resource)?.cache.get(keyOf({ namespace, name })),
    stop: async () => void (await Promise.all(all.map((informer) => informer.stop()))),
  };
};
