import { isRecord, leases, type KubeObject } from '@ranger-relay/operator-kit';
import { outcome, type Question } from './ask.ts';

const lease = (namespace: string, name: string, holder?: string): KubeObject => ({
  metadata: { name, namespace },
  spec: { ...(holder === undefined ? {} : { holderIdentity: holder }), leaseDurationSeconds: 15 },
});

const holderOf = (object: unknown): unknown => {
  const { spec: found } = object as KubeObject;
  return isRecord(found) ? (found['holderIdentity'] ?? 'nobody') : undefined;
};

/** About Leases, which one at a time has. */
export const aboutLeases: Readonly<Record<string, Question>> = {
  'it is made once': async ({ api, namespace }) => {
    await api.create(leases, lease(namespace, 'once', 'a'));
    return outcome(api.create(leases, lease(namespace, 'once', 'b')));
  },
  'it is taken over the version that was seen, and over no other': async ({ api, namespace }) => {
    const seen = await api.create(leases, lease(namespace, 'taken', 'a'));
    const wanted = (holder: string): KubeObject => ({ ...lease(namespace, 'taken', holder), metadata: seen.metadata });
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
