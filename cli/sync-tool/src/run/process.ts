import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process as others on the same machine can look for it; without spaces. */
export interface ProcessMark {
  /** `host:pid`, for people. */
  readonly holder: string;
  /** Of the machine and, in containers, of the space in which pids count. */
  readonly machine: string;
  /** When the process started, as its system tells it; empty where that is not told. */
  readonly started: string;
}

const orEmpty = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    return '';
  }
};

/** The name of the program may hold spaces and brackets; what follows behind it does not. */
const startOf = (pid: number | 'self'): string =>
  orEmpty(
    () =>
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? '',
  );

/** Two containers may have one name, and two machines too. */
const machineMark = (): string => {
  const parts = [
    hostname(),
    orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    orEmpty(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
};

/** This process. */
export const thisProcess = (): ProcessMark => ({
  holder: `${hostname()}:${process.pid}`,
  machine: machineMark(),
  started: startOf('self'),
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

/** Whether a process of this machine has ended; false also for one that cannot be looked for from here. */
export const hasEnded = ({ holder, machine, started }: ProcessMark): boolean => {
  if (machine !== machineMark()) return false;
  const pid = Number(holder.split(':').at(-1));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  return !isAlive(pid) || (started !== '' && startOf(pid) !== started);
};
