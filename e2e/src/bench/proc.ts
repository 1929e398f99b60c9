import { readFileSync } from 'node:fs';

/** CPU seconds and memory of a process, as the kernel counts them. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

/** Kernel clock ticks a second on Linux. */
const ticks = 100;

/** @throws when the process is gone or the system has no /proc */
export const usageOf = (pid: number): Usage => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
  return { cpuSeconds: ((user ?? 0) + (system ?? 0)) / ticks, rssBytes: (pages ?? 0) * 4096 };
};
