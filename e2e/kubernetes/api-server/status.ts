import type { KubeObject, Resource } from '@ranger-relay/operator-kit';
import { elsewhere, fieldManager, outcome, time, type Ask, type Question } from './ask.ts';

const patrolSyncs: Resource = {
  group: 'ranger-relay.dev',
  version: 'v1alpha1',
  plural: 'patrolsyncs',
  kind: 'PatrolSync',
  namespaced: true,
};

const spec = {
  bundle: { configMap: 'bundle' },
  output: { claimName: 'output' },
  site: { endpoint: 'site.example', token: { name: 'site', key: 'token' } },
};

const madeSync = ({ api, namespace }: Ask, name: string): Promise<KubeObject> =>
  api.create(patrolSyncs, { metadata: { name, namespace }, spec });

const job = (more: object = {}): object => ({
  name: 'north-plan-1',
  uid: elsewhere,
  command: 'apply',
  generation: 1,
  run: '',
  number: 1,
  attempt: 0,
  since: time,
  planHash: 'a'.repeat(64),
  ...more,
});

const condition = (type: string) => ({
  type,
  status: 'True',
  reason: 'Is',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: time,
});

/** Writes a status as the operator does. */
const say = ({ api }: Ask, { metadata }: KubeObject, status: object, more: object = {}): Promise<KubeObject> => {
  const { name, namespace } = metadata;
  const body = { metadata: { name, namespace, ...more }, status } as KubeObject;
  return api.apply(patrolSyncs, body, { fieldManager, force: true, subresource: 'status' });
};

const statusOf = (object: unknown): unknown => (object as KubeObject).status;
const versionOf = ({ metadata }: KubeObject): string | undefined => metadata.resourceVersion;

/** About the status of an object. */
export const aboutStatus: Readonly<Record<string, Question>> = {
  'a member that is not said any more is gone': async (ask) => {
    const sync = await madeSync(ask, 'gone');
    await say(ask, sync, { step: 'WaitJob', job: job(), conditions: [condition('Ready')] });
    return outcome(say(ask, sync, { step: 'Idle', conditions: [condition('Ready')] }), statusOf);
  },
  'what is written as a whole loses what it does not say': async (ask) => {
    const sync = await madeSync(ask, 'whole');
    await say(ask, sync, { job: job() });
    const { planHash: _, ...rest } = job() as Record<string, unknown>;
    return outcome(say(ask, sync, { job: rest }), statusOf);
  },
  'counts by their names are kept': async (ask) => {
    const sync = await madeSync(ask, 'counted');
    const end = { outcome: 'done', job: 'j', endedAt: time, counts: { created: 14, already_there: 0 } };
    const plan = { ...end, generation: 1, run: '', number: 1, writes: 14, peopleDeactivated: 0, path: 'p', tries: 1 };
    return outcome(say(ask, sync, { plan }), statusOf);
  },
  'the same again is no new version': async (ask) => {
    const sync = await madeSync(ask, 'same');
    const first = await say(ask, sync, { step: 'Idle', conditions: [condition('Ready')] });
    const second = await say(ask, sync, { step: 'Idle', conditions: [condition('Ready')] });
    return versionOf(first) === versionOf(second);
  },
  'over the version that was seen it is taken': async (ask) => {
    const { metadata, ...rest } = await madeSync(ask, 'seen');
    const { uid, resourceVersion } = metadata;
    return outcome(say(ask, { metadata, ...rest }, { step: 'Idle' }, { uid, resourceVersion }), statusOf);
  },
  'over another version it is not': async (ask) => {
    const sync = await madeSync(ask, 'stale');
    await say(ask, sync, { step: 'WaitJob' });
    return outcome(say(ask, sync, { step: 'Idle' }, { resourceVersion: versionOf(sync) }));
  },
  'to an object of the same name with another uid it is not': async (ask) => {
    const sync = await madeSync(ask, 'other');
    return outcome(say(ask, sync, { step: 'Idle' }, { uid: elsewhere }));
  },
  'to an object that is gone it is not': async (ask) => {
    const missing = { metadata: { name: 'missing', namespace: ask.namespace } };
    return [
      await outcome(say(ask, missing, { step: 'Idle' })),
      await outcome(say(ask, missing, { step: 'Idle' }, { uid: elsewhere, resourceVersion: '1' })),
    ];
  },
  'what is wanted is not brought to an object with another uid': async (ask) => {
    const { metadata } = await madeSync(ask, 'whole-object');
    const body = { metadata: { name: metadata.name, namespace: ask.namespace, uid: elsewhere }, spec } as KubeObject;
    return outcome(ask.api.apply(patrolSyncs, body, { fieldManager, force: true }));
  },
  'it changes neither spec nor generation, and a spec does not change it': async (ask) => {
    const sync = await madeSync(ask, 'apart');
    await say(ask, sync, { step: 'Idle' });
    const ref = { namespace: ask.namespace, name: 'apart' };
    const patched = await ask.api.merge(patrolSyncs, ref, { spec: { mode: 'apply' }, status: { step: 'Stolen' } });
    const { generation } = patched.metadata;
    const again = await say(ask, sync, { step: 'WaitJob' });
    return [generation, statusOf(patched), again.metadata.generation, statusOf(again)];
  },
};
