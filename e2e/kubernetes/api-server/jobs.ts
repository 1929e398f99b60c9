import { isRecord, type KubeObject, type Resource } from '@ranger-relay/operator-kit';
import { elsewhere, outcome, type Question } from './ask.ts';

const jobs: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };

const jobObject = (name: string, namespace: string): KubeObject => ({
  metadata: { name, namespace },
  spec: {
    suspend: true,
    backoffLimit: 0,
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x:1' }] },
    },
  },
});

const suspended = (object: unknown): unknown => {
  const { spec: found } = object as KubeObject;
  return isRecord(found) ? found['suspend'] : undefined;
};

/** A controller may write to a Job between a look and what follows from it. */
const untilNobodyIsFaster = async (work: () => Promise<unknown>): Promise<unknown> => {
  for (let n = 0; n < 20; n += 1) {
    const found = await work();
    if (found !== 'kube_conflict') return found;
  }
  return 'always outrun';
};

/** About Jobs, each of which is made once, let go once, and never taken for another one. */
export const aboutJobs: Readonly<Record<string, Question>> = {
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
