import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { syncSummarySchema, type SyncSummary } from '@ranger-relay/contracts';
import type { V1Job } from '@kubernetes/client-node';
import type { Job, Pod } from './wire.ts';
import { openSyncHarness, type SyncHarness } from '../../src/harness/sync.ts';
import { helmIn, type Helm } from './helm.ts';
import { loadImages } from './images.ts';
import type { Kubectl } from './kubectl.ts';
import { openNamespace, removeNamespace } from './namespace.ts';
import type { KubernetesNode } from './node.ts';
import { empty, folderOf, releaseVolume } from './volumes.ts';

/** The patrol sync on the cluster, with a simulated site on this machine. */
export interface Patrols {
  readonly node: KubernetesNode;
  readonly kubectl: Kubectl;
  readonly helm: Helm;
  readonly harness: SyncHarness;
  /** A person's folder: the token, the bundle, the charts. */
  readonly desk: string;
  /** Environment in which kubectl and helm need not be told the namespace. */
  readonly env: NodeJS.ProcessEnv;
  /** Creates a Job as a person does, changed where a test asks for that. */
  start(suffix: string, name: string, change?: (job: V1Job) => void): Promise<void>;
  /** Waits for the end of a Job. */
  ended(name: string): Promise<EndedJob>;
  /** Both. */
  run(suffix: string, name: string): Promise<EndedJob>;
  /** The only pod of a Job. */
  podOf(name: string): Promise<Pod>;
  /** Folder of the volume with checklists and records, as this machine sees it. */
  volume(): Promise<string>;
  /** Puts site and volume back to how they were before anything ran. */
  clear(): Promise<void>;
  remove(): Promise<void>;
}

/** How a Job ended. */
export interface EndedJob {
  readonly complete: boolean;
  readonly exitCode: number | undefined;
  /** Why the container, or the pod, ended, in words of the node. */
  readonly reason: string | undefined;
  /** What its pod left as termination message, byte for byte. */
  readonly message: string;
  /** The same, read. @throws when it is none */
  readonly summary: () => SyncSummary;
  readonly log: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A folder as a person has it, and a kubeconfig whose namespace is set. */
const prepareVolume = async (kubectl: Kubectl, { folder, bundle, site }: SyncHarness, env: NodeJS.ProcessEnv) => {
  const prepared = join(folder, 'desk');
  mkdirSync(prepared);
  writeFileSync(join(prepared, 'token.txt'), `${site.token}\n`);
  symlinkSync(bundle, join(prepared, 'export'));
  for (const name of ['charts', 'k8s']) symlinkSync(join(root, name), join(prepared, name));
  const config = join(folder, 'kubeconfig');
  copyFileSync(env['KUBECONFIG'] ?? '', config);
  await kubectl.must('config', 'set-context', '--current', `--kubeconfig=${config}`);
  return { desk: prepared, env: { ...env, KUBECONFIG: config } };
};

const messageOf = ({ status }: Pod): string => status?.containerStatuses?.[0]?.state?.terminated?.message ?? '';

const endOf = (pod: Pod, complete: boolean, log: string): EndedJob => {
  const { exitCode, reason } = pod.status?.containerStatuses?.[0]?.state?.terminated ?? {};
  const message = messageOf(pod);
  return {
    complete,
    exitCode,
    reason: pod.status?.reason ?? reason,
    message,
    summary: () => syncSummarySchema.parse(JSON.parse(message)),
    log,
  };
};

/** Everything about Jobs of one namespace. */
const jobsOf = (kubectl: Kubectl): Pick<Patrols, 'start' | 'ended' | 'run' | 'podOf'> => {
  const podOf = async (name: string): Promise<Pod> => {
    const { items } = await kubectl.get<{ items: Pod[] }>('pods', '--selector', `job-name=${name}`);
    const [pod, ...others] = items;
    if (pod === undefined || others.length > 0) throw new Error(`${name} has ${items.length} pods`);
    return pod;
  };
  const start: Patrols['start'] = async (suffix, name, change) => {
    const from = ['create', 'job', name, `--from=cronjob/patrol-sync${suffix}`];
    if (!change) return void (await kubectl.must(...from));
    const job = JSON.parse(await kubectl.must(...from, '--dry-run=client', '--output=json')) as V1Job;
    change(job);
    await kubectl.apply(job);
  };
  const ended: Patrols['ended'] = async (name) => {
    await kubectl.must('wait', '--for=jsonpath={.status.conditions[0].type}', '--timeout=240s', `job/${name}`);
    const { status } = await kubectl.get<Job>('job', name);
    const complete = (status?.conditions ?? []).some(
      ({ type }) => type === 'Complete' || type === 'SuccessCriteriaMet',
    );
    return endOf(await podOf(name), complete, await kubectl.must('logs', `job/${name}`));
  };
  return {
    podOf,
    start,
    ended,
    async run(suffix, name) {
      await start(suffix, name);
      return ended(name);
    },
  };
};

/** A namespace with nothing installed yet, a bundle of the contract's sample, and a site that has never seen it. */
export const openPatrols = async (node: KubernetesNode, namespace: string): Promise<Patrols> => {
  await loadImages(node);
  const [kubectl, harness] = await Promise.all([
    openNamespace(node, namespace),
    openSyncHarness(['--contract'], { host: node.host }),
  ]);
  const volume = (): Promise<string> => folderOf(kubectl, 'patrol-sync-output');
  return {
    node,
    kubectl,
    helm: helmIn(node, namespace),
    harness,
    ...(await prepareVolume(kubectl, harness, node.env)),
    ...jobsOf(kubectl),
    volume,
    async clear() {
      await kubectl.must('delete', 'jobs', '--all', '--wait');
      harness.reset();
      empty(await volume());
    },
    async remove() {
      await removeNamespace(node, namespace);
      await releaseVolume(kubectl);
      await harness.remove();
    },
  };
};
