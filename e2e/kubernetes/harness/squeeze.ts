import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kill } from '../../src/harness/killer.ts';
import { until } from '../../src/harness/until.ts';
import { memoryGroupOf, processOf, type Pod } from './pods.ts';

const stepBytes = 1_048_576;

/** Lowers the limit of a control group as far as the kernel lets it: to what cannot be taken from its processes. */
const squeeze = (folder: string): void => {
  const limit = join(folder, 'memory.limit_in_bytes');
  const used = Number(readFileSync(join(folder, 'memory.usage_in_bytes'), 'utf8'));
  try {
    for (let bytes = used; bytes > 0; bytes -= stepBytes) writeFileSync(limit, String(bytes));
  } catch {
    // Busy, or gone: either way there is no more to take.
  }
};

/** Lets a container's process ask for more memory than its limit, until the kernel kills it. */
export const outgrowMemory = async (pod: Pod): Promise<Kill> => {
  const folder = memoryGroupOf(pod);
  const pid = processOf(pod);
  const at = Date.now();
  const gone = (): boolean => {
    squeeze(folder);
    return processOf(pod) !== pid;
  };
  await until(`${pod.metadata.name} is out of memory`, gone, 60_000);
  return { victim: 'forwarder', at, goneAt: Date.now(), backAt: Infinity };
};
