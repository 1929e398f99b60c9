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

/** About Jobs, each of which is made once, let go once, and never taken for another one. */
export const aboutJobs: Readonly<Record<string, Question>> = {
  'a Job of a name is made once': async ({ api, namespace }) => {
    await api.create(jobs, jobObject('once', namespace));
    return outcome(api.create(jobs, jobObject('once', namespace)));
  },
  'it is let go over the version that was seen, and over no other': async ({ api, namespace }) => {
    const { metadata } = await api.create(jobs, jobObject('let-go', namespace));
    const { uid, resourceVersion } = metadata;
    const go = (marks: object): Promise<KubeObject> =>
      api.merge(jobs, { namespace, name: 'let-go' }, { metadata: marks, spec: { suspend: false } });
    const other = await outcome(go({ uid: elsewhere, resourceVersion }));
    const old = await outcome(go({ uid, resourceVersion: '1' }));
    const found = await api.find(jobs, { namespace, name: 'let-go' });
    return [other, old, await outcome(go({ uid, resourceVersion: found?.metadata.resourceVersion }), suspended)];
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
