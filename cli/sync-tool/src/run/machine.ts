import { hash } from 'node:crypto';
import { readFileSync, readlinkSync, type BigIntStats, type Stats } from 'node:fs';
import * as disk from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { createHttpClient } from '@ranger-relay/http';
import type { Shell } from '@ranger-relay/terminal';

/** An open file. */
export interface DiskFile {
  read(buffer: Buffer, offset: number, length: number, position: number | null): Promise<{ bytesRead: number }>;
  writeFile(text: string): Promise<void>;
  appendFile(text: string): Promise<void>;
  stat(): Promise<Stats>;
  stat(options: { readonly bigint: true }): Promise<BigIntStats>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system: the functions of `node:fs/promises` that commands about a site use. */
export interface Disk {
  access(path: string, mode: number): Promise<void>;
  lstat(path: string): Promise<Stats>;
  mkdir(path: string, options?: { readonly mode: number }): Promise<unknown>;
  open(path: string, flags?: string | number): Promise<DiskFile>;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  readdir(path: string): Promise<string[]>;
  realpath(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  stat(path: string): Promise<Stats>;
  unlink(path: string): Promise<void>;
  writeFile(path: string, text: string): Promise<void>;
}

/** Identifies a process to other processes on the same machine. */
export interface ProcessMark {
  /** `host:pid`, as shown to the operator. */
  readonly holder: string;
  /** Identifies the machine and, in containers, the pid namespace. */
  readonly machine: string;
  /** When the process started, as the operating system reports it; empty where the system does not report it. */
  readonly started: string;
}

/** What a command uses of the machine besides the shell: files, processes and the network. */
export interface Machine {
  readonly disk: Disk;
  readonly user: { readonly uid: number; readonly username: string };
  /** The mark of this process. */
  readonly mark: ProcessMark;
  /** Whether a process of this machine has ended; false also for a process on another machine or in another pid namespace. */
  hasEnded(mark: ProcessMark): boolean;
  readonly connect: typeof createHttpClient;
}

/** The shell of a command about a site. */
export interface SyncShell extends Shell {
  readonly machine: Machine;
}

const orEmpty = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    return '';
  }
};

/** State and start of a process, as the system reports them. The program's name may contain spaces and brackets; the fields after it do not. */
const statOf = (pid: number | 'self'): { readonly state: string; readonly started: string } => {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [state = '', ...fields] = stat.replace(/^.*\) /s, '').split(' ');
  return { state, started: fields[18] ?? '' };
};

/** Hashes more than the hostname, because two containers or two machines may share one hostname. */
const machineMark = (): string => {
  const parts = [
    hostname(),
    orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    orEmpty(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return hash('sha256', parts.join('\n')).slice(0, 16);
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

const hasEnded = ({ holder, machine, started }: ProcessMark): boolean => {
  if (machine !== machineMark()) return false;
  const pid = Number(holder.split(':').at(-1));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (!isAlive(pid)) return true;
  const there = statOf(pid);
  // A killed process that nobody has reaped still has its number.
  return there.state === 'Z' || (started !== '' && there.started !== started);
};

/** The machine that this process runs on. */
export const thisMachine = (): Machine => ({
  disk,
  user: userInfo(),
  mark: { holder: `${hostname()}:${process.pid}`, machine: machineMark(), started: statOf('self').started },
  hasEnded,
  connect: createHttpClient,
});
