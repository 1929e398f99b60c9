import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Pod } from '@ranger-relay/operator';
import type { Kill } from '../../src/harness/killer.ts';
import { until } from '../../src/harness/until.ts';
import { killOf } from './pod-killer.ts';
import { memoryGroupOf, processOf } from './pods.ts';

/** Fills the memory of the control group that it joins; the kernel kills processes of pods first. */
const filler = `
  const { writeFileSync } = require('node:fs');
  writeFileSync(process.argv[1], String(process.pid));
  const all = [];
  setInterval(() => all.push(Buffer.alloc(16 * 1_048_576, 1)), 10);
`;

/** Takes the memory of a container's limit away from its process, until the kernel kills it. */
export const outgrowMemory = async (pod: Pod): Promise<Kill> => {
  const pid = processOf(pod);
  const at = Date.now();
  const child = spawn(process.execPath, ['-e', filler, join(memoryGroupOf(pod), 'cgroup.procs')], { stdio: 'inherit' });
  try {
    await until(`${pod.metadata.name} is out of memory`, () => processOf(pod) !== pid, 60_000);
  } finally {
    child.kill('SIGKILL');
  }
  return killOf(pod, 'forwarder', { at, goneAt: Date.now() });
};
