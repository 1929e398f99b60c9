import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '@ranger-relay/runtime';
import type { Pod } from './wire.ts';
import type { Kill, VictimKind } from '../../src/harness/in-flight.ts';
import type { Kubectl } from './kubectl.ts';
import { endOf, isReady, podsOf, processOf } from './pods.ts';

/** How to kill pods. */
export interface PodKilling {
  readonly kubectl: Kubectl;
  readonly components: readonly string[];
  readonly random: Random;
  /** Time between two of them, ms; the real one is between half and one and a half of it. */
  readonly everyMs: number;
  /** Ends it. */
  readonly until: () => boolean;
}

const kinds: Readonly<Record<string, VictimKind>> = {
  'webhook-ingester': 'ingester',
  'observation-forwarder': 'forwarder',
  // The one process forwards too.
  'ranger-relay': 'forwarder',
};

const pick = <T>(items: readonly T[], { next }: Random): T | undefined => items[Math.floor(next() * items.length)];

/** The kill of a pod that does not come back: it explains repeats of what this pod had sent, and of no other. */
export const killOf = (
  { status: { podIP: address } = {} }: Pod,
  victim: VictimKind,
  { at, goneAt }: Pick<Kill, 'at' | 'goneAt'>,
): Kill => ({ victim, at, goneAt, ...(address && { address }) });

/**
 * Deletes a pod with a grace of 0, and takes its process away at once: the kubelet would still leave it two seconds.
 * @returns undefined when the pod had no process
 */
export const killPod = async (kubectl: Kubectl, pod: Pod, component: string): Promise<Kill | undefined> => {
  const pid = processOf(pod);
  if (pid === undefined) return undefined;
  const at = Date.now();
  process.kill(pid, 'SIGKILL');
  const goneAt = await endOf(pid);
  await kubectl.run('delete', 'pod', pod.metadata.name, '--grace-period=0', '--force', '--wait=false');
  return killOf(pod, kinds[component] ?? 'product', { at, goneAt });
};

/** Kills a pod of a component by chance, again and again. */
export const killPods = async ({ kubectl, components, random, everyMs, until }: PodKilling): Promise<Kill[]> => {
  const kills: Kill[] = [];
  while (!until()) {
    await pause(everyMs * (0.5 + random.next()));
    const component = pick(components, random) ?? '';
    const victim = pick((await podsOf(kubectl, component)).filter(isReady), random);
    const kill = victim && (await killPod(kubectl, victim, component));
    if (kill) kills.push(kill);
  }
  return kills;
};
