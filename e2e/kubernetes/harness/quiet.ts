import { existsSync } from 'node:fs';
import { cpus, type CpuInfo } from 'node:os';
import { setTimeout as pass } from 'node:timers/promises';
import { until } from '../../src/harness/until.ts';
import type { KubernetesNode } from './node.ts';

const spanMs = 3_000;
const patienceMs = 25 * 60_000;

interface Share {
  readonly idle: number;
  readonly all: number;
}

const shareOf = (each: readonly CpuInfo[]): Share => ({
  idle: each.reduce((sum, { times }) => sum + times.idle, 0),
  all: each.reduce((sum, { times }) => sum + Object.values(times).reduce((a, b) => a + b, 0), 0),
});

/** How much of the processors nobody used for some seconds, 0 to 1. */
const idleShare = async (): Promise<number> => {
  const before = shareOf(cpus());
  await pass(spanMs);
  const after = shareOf(cpus());
  return (after.idle - before.idle) / (after.all - before.all);
};

/** Sixteen times what a session outside the node has: its pods are never late for want of a processor. */
const firstServed = '16384';

/**
 * Before load and figures: waits until other work on this machine has ended, or for 25 minutes at most. Where it has ended, the
 * node comes before what stands outside it from then on, as a machine of its own would; beside others it has an equal share.
 */
export const untilQuiet = async (
  node: Pick<KubernetesNode, 'script'>,
  { log }: { readonly log: (text: string) => void },
): Promise<void> => {
  const began = performance.now();
  // Whoever runs other scenarios beside says where to see that they have ended: they are quiet now and then.
  const { OTHERS_ENDED: ended } = process.env;
  const isOver = (): boolean => ended === undefined || existsSync(ended);
  await until('other scenarios have ended', isOver, patienceMs, 1_000).catch(({ message }: Error) => log(message));
  for (let quiet = 0; quiet < 2; quiet = (await idleShare()) > 0.6 ? quiet + 1 : 0)
    if (performance.now() - began > patienceMs) return log('others worked beside these figures');
  await node.script('weigh.sh', firstServed);
};
