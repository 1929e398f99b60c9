import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies a process to other processes on the same machine. The members contain no spaces. */
export interface ProcessMark {
  /** `host:pid`, as shown to the operator. */
  readonly holder: string;
  /** Identifies the machine and, in containers, the pid namespace. */
  readonly machine: string;
  /** When the process started, as the operating system reports it; empty where the system does not report it. */
  readonly started: string;
}

const orEmpty = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    return '';
  }
};

/** Strips the program name first: it may contain spaces and brackets, the fields after it do not. */
const startOf = (pid: number | 'self'): string =>
  orEmpty(
    () =>
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? '',
  );

/** Hashes more than the hostname, because two containers or two machines may share one hostname. */
const machineMark = (): string => {
  const parts = [
    hostname(),
    orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    orEmpty(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
};

/** Returns the mark of this process. */
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

/** Whether a process of this machine has ended; false also for a process on another machine or in another pid namespace. */
export const hasEnded = ({ holder, machine, started }: ProcessMark): boolean => {
  if (machine !== machineMark()) return false;
  const pid = Number(holder.split(':').at(-1));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  return !isAlive(pid) || (started !== '' && startOf(pid) !== started);
};
