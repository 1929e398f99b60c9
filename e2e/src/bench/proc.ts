import { readFileSync } from 'node:fs';

/** CPU seconds and memory of a process, as the kernel counts them. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

/** Kernel clock ticks a second on Linux. */
const ticks = 100;

/** Most memory that a process held so far, bytes; 0 when it is gone. */
export const peakOf = (pid: number): number => {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
};

/** @throws when the process is gone or the system has no /proc */
export const usageOf = (pid: number): Usage => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
  return { cpuSeconds: ((user ?? 0) + (system ?? 0)) / ticks, rssBytes: (pages ?? 0) * 4096 };
};
