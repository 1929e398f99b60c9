import { RelayError } from '@ranger-relay/errors';
import { apiVersionOf, type KubeClient, patrolSyncs } from '@ranger-relay/operator';

/** An API server and a namespace in which nobody else is. */
export interface Ask {
  readonly client: KubeClient;
  readonly namespace: string;
}

/** Something that the operator asks, and what it makes of the answer. */
export type Question = (ask: Ask) => Promise<unknown>;

const fieldManager = 'ranger-relay-operator';
const time = '2026-01-31T14:00:00Z';
/** A uid that nothing has. */
const elsewhere = '00000000-0000-4000-8000-000000000000';

/** What a call came to: the code of its error, or what is looked at of its object. */
const outcome = async (work: Promise<unknown>, look: (found: never) => unknown = () => 'done'): Promise<unknown> => {
  try {
    return look((await work) as never);
  } catch (error) {
    return error instanceof RelayError ? error.code : String(error);
  }
};

type Meta = { readonly uid?: string; readonly resourceVersion?: string };
const marksOf = ({ metadata }: { readonly metadata?: Meta }) => {
  const { uid = '', resourceVersion = '' } = metadata ?? {};
  return { uid, resourceVersion };
};

const createLease = ({ client, namespace }: Ask, name: string, holderIdentity: string) =>
  client.coordination.createNamespacedLease({ namespace, body: { metadata: { name }, spec: { holderIdentity } } });
const patchLease = ({ client, namespace }: Ask, name: string, metadata: Meta, holderIdentity: string | null) => {
  const body = { metadata, spec: { holderIdentity, renewTime: '2026-01-31T14:00:00.000000Z' } };
  return client.coordination.patchNamespacedLease({ namespace, name, body }, client.merge);
};
const holderOf = ({ spec }: { readonly spec?: { readonly holderIdentity?: string } }): string =>
  spec?.holderIdentity ?? 'nobody';

/** About Leases, which one object at a time has. */
const aboutLeases: Readonly<Record<string, Question>> = {
  'it is made once': async (ask) => {
    await createLease(ask, 'once', 'a');
    return outcome(createLease(ask, 'once', 'b'));
  },
  'it is taken over the version that was seen, and over no other': async (ask) => {
    const seen = marksOf(await createLease(ask, 'taken', 'a'));
    const first = await outcome(patchLease(ask, 'taken', seen, 'b'), holderOf);
    return [first, await outcome(patchLease(ask, 'taken', seen, 'c'), holderOf)];
  },
  'it is given back without a holder': async (ask) => {
    const seen = marksOf(await createLease(ask, 'back', 'a'));
    return outcome(patchLease(ask, 'back', seen, null), holderOf);
  },
  'one that is gone is not taken, and neither is one that was made anew': async (ask) => {
    const seen = marksOf(await createLease(ask, 'gone', 'a'));
    await ask.client.coordination.deleteNamespacedLease({ namespace: ask.namespace, name: 'gone' });
    const gone = await outcome(patchLease(ask, 'gone', seen, 'b'), holderOf);
    await createLease(ask, 'gone', 'b');
    return [gone, await outcome(patchLease(ask, 'gone', seen, 'c'), holderOf)];
  },
};

const createJob = ({ client, namespace }: Ask, name: string) =>
  client.batch.createNamespacedJob({
    namespace,
    body: {
      metadata: { name },
      spec: {
        suspend: true,
        backoffLimit: 0,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x:1' }] } },
      },
    },
  });
const suspended = ({ spec }: { readonly spec?: { readonly suspend?: boolean } }): unknown => spec?.suspend;
const releaseJob = ({ client, namespace }: Ask, name: string, metadata: Meta): Promise<unknown> => {
  const body = { metadata, spec: { suspend: false } };
  return outcome(client.batch.patchNamespacedJob({ namespace, name, body }, client.merge), suspended);
};
const deleteJob = ({ client, namespace }: Ask, name: string, preconditions: Meta): Promise<unknown> => {
  const body = { preconditions, propagationPolicy: 'Background' };
  return outcome(client.batch.deleteNamespacedJob({ namespace, name, body }));
};

/** The job controller may write to a Job between a look and what follows from it. */
const untilNobodyIsFaster = async (work: () => Promise<unknown>): Promise<unknown> => {
  for (let n = 0; n < 20; n += 1) {
    const found = await work();
    if (found !== 'kube_conflict') return found;
  }
  return 'always outrun';
};

/** About Jobs, each of which is made once, released once, and never taken for another one. */
const aboutJobs: Readonly<Record<string, Question>> = {
  'a Job of a name is made once': async (ask) => {
    await createJob(ask, 'once');
    return outcome(createJob(ask, 'once'));
  },
  'it is released over the version that was seen, and over no other': async (ask) => {
    const gone = marksOf(await createJob(ask, 'released'));
    await deleteJob(ask, 'released', { uid: gone.uid });
    const { uid } = marksOf(await createJob(ask, 'released'));
    const about = { namespace: ask.namespace, name: 'released' };
    return [
      await releaseJob(ask, 'released', gone),
      await releaseJob(ask, 'released', { uid, resourceVersion: '1' }),
      await untilNobodyIsFaster(async () =>
        releaseJob(ask, 'released', marksOf(await ask.client.batch.readNamespacedJob(about))),
      ),
    ];
  },
  'it is released when it is gone: nothing is made': (ask) => releaseJob(ask, 'never', { uid: elsewhere }),
  'only the one that is meant is deleted': async (ask) => {
    const { uid } = marksOf(await createJob(ask, 'meant'));
    return [
      await deleteJob(ask, 'meant', { uid: elsewhere }),
      await deleteJob(ask, 'meant', { uid, resourceVersion: '1' }),
      await deleteJob(ask, 'meant', { uid }),
      await deleteJob(ask, 'meant', { uid }),
    ];
  },
};

const { group, version, plural, kind } = patrolSyncs;
const apiVersion = apiVersionOf(patrolSyncs);
const spec = {
  bundle: { configMap: 'bundle' },
  output: { claimName: 'output' },
  site: { endpoint: 'site.example', token: { name: 'site', key: 'token' } },
};
const createSync = ({ client, namespace }: Ask, name: string): Promise<{ metadata?: Meta }> =>
  client.custom.createNamespacedCustomObject({
    group,
    version,
    plural,
    namespace,
    body: { apiVersion, kind, metadata: { name, namespace }, spec },
  }) as Promise<{ metadata?: Meta }>;

/** Writes a status as the operator does. */
const say = ({ client, namespace }: Ask, name: string, status: object, marks: Meta = {}): Promise<unknown> => {
  const about = { group, version, plural, namespace, name, fieldManager, force: true, fieldValidation: 'Strict' };
  const body = { apiVersion, kind, metadata: { name, namespace, ...marks }, status };
  return client.custom.patchNamespacedCustomObjectStatus({ ...about, body }, client.apply);
};
const statusOf = ({ status }: { readonly status?: unknown }): unknown => status;

const job = { name: 'north-plan-1', uid: elsewhere, command: 'apply', generation: 1, run: '', number: 1, attempt: 0 };
const recorded = { ...job, since: time, planHash: 'a'.repeat(64) };
const ready = { type: 'Ready', status: 'True', reason: 'Is', message: '', observedGeneration: 1 };
const conditions = [{ ...ready, lastTransitionTime: time }];

const generationAndStatus = (object: {
  readonly metadata: { readonly generation: number };
  readonly status: unknown;
}) => [object.metadata.generation, object.status];
const names = ({ items }: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name);

/** About the status of an object. */
const aboutStatus: Readonly<Record<string, Question>> = {
  'a member that is not said any more is gone': async (ask) => {
    await createSync(ask, 'gone');
    await say(ask, 'gone', { step: 'WaitJob', job: recorded, conditions });
    return outcome(say(ask, 'gone', { step: 'Idle', conditions }), statusOf);
  },
  'what is written as a whole loses what it does not say': async (ask) => {
    await createSync(ask, 'whole');
    await say(ask, 'whole', { job: recorded });
    return outcome(say(ask, 'whole', { job: { ...job, since: time } }), statusOf);
  },
  'the same again is no new version': async (ask) => {
    await createSync(ask, 'same');
    const [first, second] = [await say(ask, 'same', { conditions }), await say(ask, 'same', { conditions })];
    return marksOf(first as never).resourceVersion === marksOf(second as never).resourceVersion;
  },
  'over the version that was seen it is taken, and over another one it is not': async (ask) => {
    const seen = marksOf(await createSync(ask, 'seen'));
    return [
      await outcome(say(ask, 'seen', { step: 'Idle' }, seen), statusOf),
      await outcome(say(ask, 'seen', { step: 'WaitJob' }, seen), statusOf),
    ];
  },
  'to an object that is gone it is not written': (ask) =>
    outcome(say(ask, 'missing', { step: 'Idle' }, { uid: elsewhere, resourceVersion: '1' })),
  'it changes neither spec nor generation, and a spec does not change it': async (ask) => {
    await createSync(ask, 'apart');
    await say(ask, 'apart', { step: 'Idle' });
    const { client, namespace } = ask;
    const body = { spec: { mode: 'apply' }, status: { step: 'Stolen' } };
    const about = { group, version, plural, namespace, name: 'apart', body };
    const patched = await outcome(client.custom.patchNamespacedCustomObject(about, client.merge), generationAndStatus);
    return [patched, await outcome(say(ask, 'apart', { step: 'WaitJob' }), generationAndStatus)];
  },
  'one object is listed by its name': async (ask) => {
    for (const name of ['named-a', 'named-b']) await createSync(ask, name);
    const { client, namespace } = ask;
    const about = { group, version, plural, namespace, fieldSelector: 'metadata.name=named-a' };
    return outcome(client.custom.listNamespacedCustomObject(about), names);
  },
};

/** About the rest. */
const aboutOthers: Readonly<Record<string, Question>> = {
  'what is not there is not found': ({ client, namespace }) =>
    outcome(client.core.readNamespacedSecret({ namespace, name: 'missing' })),
  'an event is written and counted on': async ({ client, namespace }) => {
    const involvedObject = { kind, apiVersion, name: 'north', namespace };
    const said = { type: 'Normal', reason: 'Planned', message: 'm', source: { component: fieldManager } };
    const body = { metadata: { name: 'north.1', namespace }, involvedObject, ...said, count: 1 };
    await client.core.createNamespacedEvent({ namespace, body });
    const next = { count: 2, lastTimestamp: new Date(time) };
    const patched = client.core.patchNamespacedEvent({ namespace, name: 'north.1', body: next }, client.merge);
    return outcome(patched, ({ count }: { count: number }) => count);
  },
};

/** Everything that the operator relies on, and that an API server in memory has to answer as a real one does. */
export const questions: Readonly<Record<string, Question>> = Object.fromEntries(
  Object.entries({ status: aboutStatus, Jobs: aboutJobs, Leases: aboutLeases, others: aboutOthers }).flatMap(
    ([about, list]) => Object.entries(list).map(([name, question]) => [`${about}: ${name}`, question]),
  ),
);
