import {
  commandLabel,
  createInformer,
  type Informers,
  type KubeObject,
  type Resource,
  patrolSyncs,
  sourcesOf,
  wantedAnnotation,
} from '@ranger-relay/operator';
import { testContext } from '@ranger-relay/runtime/testing';
import type { Place } from './place.ts';

/** Sees everything that happens in a place, and whether what must never be is. */
export interface Invariants extends Informers {
  /** What must never be and was, a sentence each. */
  readonly broken: readonly string[];
  find(resource: Resource, name: string): KubeObject | undefined;
  stop(): Promise<void>;
}

const writing: ReadonlySet<string> = new Set(['apply', 'resume', 'undo']);
const commandOf = ({ metadata }: Pick<KubeObject, 'metadata'>): string => metadata.labels?.[commandLabel] ?? '';

/** Plans that Jobs were released for, by the uid of the Job. */
const watchApplies = ({ jobs }: Informers, tell: (text: string) => void): void => {
  const applied = new Map<string, string>();
  jobs.onChange((job) => {
    if (commandOf(job) !== 'apply' || job.spec?.suspend) return;
    const { uid = '', annotations } = job.metadata;
    const plan = String((JSON.parse(annotations?.[wantedAnnotation] ?? '{}') as { planHash?: string }).planHash);
    const before = applied.get(plan) ?? uid;
    if (before !== uid) tell(`plan ${plan} is applied twice`);
    applied.set(plan, before);
  });
};

/** One pod at a time writes to a site. */
const watchWriters = ({ pods }: Informers, tell: (text: string) => void): void => {
  pods.onChange(() => {
    const writers = pods.cache
      .values()
      .filter((pod) => writing.has(commandOf(pod)) && pod.status?.phase === 'Running')
      .map(({ metadata }) => metadata.name);
    if (writers.length > 1) tell(`they write at once: ${writers.join(', ')}`);
  });
};

/** Begins to look at a place. */
export const openWitness = async ({ client, namespace }: Place): Promise<Invariants> => {
  const context = testContext();
  const sources = sourcesOf(client, namespace, namespace);
  const informers: Informers = {
    syncs: createInformer({ ...context, client, source: sources.syncs }),
    rollbacks: createInformer({ ...context, client, source: sources.rollbacks }),
    jobs: createInformer({ ...context, client, source: sources.jobs }),
    pods: createInformer({ ...context, client, source: sources.pods }),
    siteLocks: createInformer({ ...context, client, source: sources.siteLocks }),
  };
  const broken: string[] = [];
  const tell = (text: string): void => void (broken.includes(text) || broken.push(text));
  watchApplies(informers, tell);
  watchWriters(informers, tell);
  const all = Object.values(informers) as readonly Informers['syncs'][];
  for (const informer of all) informer.start();
  await Promise.all(all.map((informer) => informer.whenSynced()));
  return {
    ...informers,
    broken,
    find: ({ kind }, name) =>
      informers[kind === patrolSyncs.kind ? 'syncs' : 'rollbacks'].cache.get(`${namespace}/${name}`),
    stop: async () => void (await Promise.all(all.map((informer) => informer.stop()))),
  };
};
