import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Pod } from './wire.ts';
import { until } from '../../src/harness/until.ts';
import type { Kubectl } from './kubectl.ts';

/** Whether a pod is meant to stay and answers its readiness probe. */
export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');

/** Pods of a component, those that are on their way out included. */
export const podsOf = async (kubectl: Kubectl, component: string): Promise<readonly Pod[]> => {
  const selector = `app.kubernetes.io/component=${component}`;
  return (await kubectl.get<{ items: Pod[] }>('pods', '--selector', selector)).items;
};

const goneCodes = new Set(['ENOENT', 'ENODEV']);

/** What a control group holds; one that was removed just now holds nothing. */
const unlessGone = <T>(read: () => readonly T[]): readonly T[] => {
  try {
    return read();
  } catch (error) {
    if (goneCodes.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
};

const foldersIn = (folder: string): readonly string[] =>
  unlessGone(() =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name)),
  );

/** Folders below a folder whose name is this one's. */
const foldersNamed = (folder: string, name: string): readonly string[] =>
  foldersIn(folder).flatMap((each) => (basename(each) === name ? [each] : foldersNamed(each, name)));

const processesIn = (folder: string): readonly number[] =>
  unlessGone(() => readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number));

/** Whether a process of the product runs, as this machine counts processes. */
const runsProduct = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/app/');
  } catch {
    return false;
  }
};

const group = (controller: string): string => `/sys/fs/cgroup/${controller}/ranger-relay-k8s`;

/** Folder of the control group of a pod's container, found by its process. */
const containerGroups = (controller: string, { metadata }: Pod): readonly string[] =>
  foldersNamed(group(controller), `pod${metadata.uid}`).flatMap(foldersIn);

/** The process of the product in a pod, as this machine counts them; undefined when it has ended. */
export const processOf = (pod: Pod): number | undefined =>
  containerGroups('memory', pod).flatMap(processesIn).find(runsProduct);

/** Waits for the end of a process; the moment, ms since 1970. */
export const endOf = async (pid: number, timeoutMs = 60_000): Promise<number> => {
  await until(`process ${pid} has ended`, () => !runsProduct(pid), timeoutMs);
  return Date.now();
};

/** Folder of the memory limits of a pod's container. */
export const memoryGroupOf = (pod: Pod): string => {
  const pid = processOf(pod);
  const found = containerGroups('memory', pod).find((folder) => pid !== undefined && processesIn(folder).includes(pid));
  if (found === undefined) throw new Error(`${pod.metadata.name} has no running process`);
  return found;
};

/** Memory that the pods of a namespace use, bytes, as the kubelet reports it: what a limit is held against. */
export const memoryOf = async (kubectl: Kubectl): Promise<ReadonlyMap<string, number>> => {
  const [node = ''] = (await kubectl.must('get', 'nodes', '--output', 'name')).split('\n');
  const summary = JSON.parse(
    await kubectl.must('get', '--raw', `/api/v1/${node.replace('node/', 'nodes/')}/proxy/stats/summary`),
  ) as {
    pods: readonly { podRef: { name: string; namespace: string }; memory?: { workingSetBytes?: number } }[];
  };
  return new Map(
    summary.pods
      .filter(({ podRef }) => podRef.namespace === kubectl.namespace)
      .map(({ podRef, memory }) => [podRef.name, memory?.workingSetBytes ?? 0]),
  );
};
