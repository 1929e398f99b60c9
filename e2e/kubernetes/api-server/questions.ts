import type { CoreV1Event, V1Secret } from '@kubernetes/client-node';
import { type Job, jobs } from '@ranger-relay/operator';
import { type KubeObject, type Lease, leases, type Resource } from '@ranger-relay/operator-kit';
import { elsewhere, fieldManager, outcome, type Question, time } from './ask.ts';
import { aboutStatus } from './status.ts';

const lease = (namespace: string, name: string, holder?: string): Lease => ({
  metadata: { name, namespace },
  spec: { ...(holder === undefined ? {} : { holderIdentity: holder }), leaseDurationSeconds: 15 },
});

const holderOf = (object: unknown): unknown => (object as Lease).spec?.holderIdentity ?? 'nobody';

/** About Leases, which one at a time has. */
const aboutLeases: Readonly<Record<string, Question>> = {
  'it is made once': async ({ api, namespace }) => {
    await api.create(leases, lease(namespace, 'once', 'a'));
    return outcome(api.create(leases, lease(namespace, 'once', 'b')));
  },
  'it is taken over the version that was seen, and over no other': async ({ api, namespace }) => {
    const seen = await api.create(leases, lease(namespace, 'taken', 'a'));
    const wanted = (holder: string): Lease => ({ ...lease(namespace, 'taken', holder), metadata: seen.metadata });
    const first = await outcome(api.replace(leases, wanted('b')), holderOf);
    return [first, await outcome(api.replace(leases, wanted('c')), holderOf)];
  },
  'it is given back without a holder': async ({ api, namespace }) => {
    const { metadata } = await api.create(leases, lease(namespace, 'back', 'a'));
    return outcome(api.replace(leases, { ...lease(namespace, 'back'), metadata }), holderOf);
  },
  'one that is gone is not taken over the version that was seen': async ({ api, namespace }) => {
    const { metadata } = await api.create(leases, lease(namespace, 'deleted', 'a'));
    await api.remove(leases, { namespace, name: 'deleted' });
    return outcome(api.replace(leases, { ...lease(namespace, 'deleted', 'b'), metadata }), holderOf);
  },
  'one that is not there is made by a write that knows no version': async ({ api, namespace }) =>
    outcome(api.replace(leases, lease(namespace, 'made', 'a')), holderOf),
  'one that was made anew is not taken over the version that was seen': async ({ api, namespace }) => {
    const { metadata } = await api.create(leases, lease(namespace, 'anew', 'a'));
    await api.remove(leases, { namespace, name: 'anew' });
    await api.create(leases, lease(namespace, 'anew', 'b'));
    return outcome(api.replace(leases, { ...lease(namespace, 'anew', 'c'), metadata }), holderOf);
  },
};

type Event = KubeObject<CoreV1Event>;

const events: Resource<Event> = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
const secrets: Resource<KubeObject<V1Secret>> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
};

const names = (items: readonly KubeObject[]): readonly string[] => items.map(({ metadata }) => metadata.name);

/** About the rest. */
const aboutOthers: Readonly<Record<string, Question>> = {
  'what is not there is nothing': async ({ api, namespace }) => api.find(secrets, { namespace, name: 'missing' }),
  'a name that is none is refused': async ({ api, namespace }) =>
    outcome(api.create(secrets, { metadata: { name: 'No_Name', namespace } })),
  'what is made has no version yet': async ({ api, namespace }) =>
    outcome(api.create(secrets, { metadata: { name: 'versioned', namespace, resourceVersion: '1' } })),
  'an event is written and counted on': async ({ api, namespace }) => {
    const involvedObject = { kind: 'PatrolSync', apiVersion: 'ranger-relay.dev/v1alpha1', name: 'north', namespace };
    const metadata = { name: 'north.1', namespace };
    const source = { component: fieldManager };
    const said = {
      type: 'Normal',
      reason: 'Planned',
      message: 'm',
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    await api.create(events, { metadata, involvedObject, source, reportingComponent: fieldManager, ...said });
    return outcome(api.merge(events, metadata, { count: 2 }), (event) => (event as Event).count);
  },
  'a list comes in parts, to its end': async ({ api, namespace }) => {
    for (const name of ['a', 'b', 'c'])
      await api.create(secrets, { metadata: { name, namespace, labels: { part: 'x' } } });
    const select = { namespace, labelSelector: 'part=x', limit: 2 };
    const first = await api.list(secrets, select);
    const { next = '' } = first;
    const second = await api.list(secrets, { ...select, from: next });
    return [names(first.items), next !== '', names(second.items), second.next];
  },
};

const jobObject = (name: string, namespace: string): Job => ({
  metadata: { name, namespace },
  spec: {
    suspend: true,
    backoffLimit: 0,
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x:1' }] },
    },
  },
});

const suspended = (object: unknown): unknown => (object as Job).spec?.suspend;

/** A controller may write to a Job between a look and what follows from it. */
const untilNobodyIsFaster = async (work: () => Promise<unknown>): Promise<unknown> => {
  for (let n = 0; n < 20; n += 1) {
    const found = await work();
    if (found !== 'kube_conflict') return found;
  }
  return 'always outrun';
};

/** About Jobs, each of which is made once, let go once, and never taken for another one. */
const aboutJobs: Readonly<Record<string, Question>> = {
  'a Job of a name is made once': async ({ api, namespace }) => {
    await api.create(jobs, jobObject('once', namespace));
    return outcome(api.create(jobs, jobObject('once', namespace)));
  },
  'it is let go over the version that was seen, and over no other': async ({ api, namespace }) => {
    const ref = { namespace, name: 'let-go' };
    const { metadata: gone } = await api.create(jobs, jobObject(ref.name, namespace));
    await api.remove(jobs, ref, { uid: gone.uid });
    const { uid } = (await api.create(jobs, jobObject(ref.name, namespace))).metadata;
    const go = (marks: object): Promise<unknown> =>
      outcome(api.merge(jobs, ref, { metadata: marks, spec: { suspend: false } }), suspended);
    const other = await go({ uid: gone.uid, resourceVersion: gone.resourceVersion });
    const old = await go({ uid, resourceVersion: '1' });
    return [
      other,
      old,
      await untilNobodyIsFaster(async () => {
        const found = await api.find(jobs, ref);
        return go({ uid, resourceVersion: found?.metadata.resourceVersion });
      }),
    ];
  },
  'it is let go when it is gone: nothing is made': async ({ api, namespace }) =>
    outcome(api.merge(jobs, { namespace, name: 'never' }, { metadata: { uid: elsewhere }, spec: { suspend: false } })),
  'only the one that is meant is deleted': async ({ api, namespace }) => {
    const { metadata } = await api.create(jobs, jobObject('meant', namespace));
    const ref = { namespace, name: 'meant' };
    return [
      await outcome(api.remove(jobs, ref, { uid: elsewhere }), (found) => found),
      await outcome(api.remove(jobs, ref, { uid: metadata.uid }), (found) => found),
      await outcome(api.remove(jobs, ref, { uid: metadata.uid }), (found) => found),
    ];
  },
};

/** Everything that the operator relies on, and that an API server in memory has to answer as a real one does. */
export const questions: Readonly<Record<string, Question>> = Object.fromEntries(
  Object.entries({ status: aboutStatus, Jobs: aboutJobs, Leases: aboutLeases, others: aboutOthers }).flatMap(
    ([about, list]) => Object.entries(list).map(([name, question]) => [`${about}: ${name}`, question]),
  ),
);
