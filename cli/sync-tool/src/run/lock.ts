import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { type Clock, type Random, repeat } from '@ranger-relay/runtime';

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

/** A lock that this process holds. */
export interface Lock {
  /** Aborted when another process has taken the lock, because this process did not refresh it in time. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Which site the lock covers, and which process requests it. */
export interface LockOptions {
  /** A folder that all competing processes can access. */
  readonly folder: string;
  /** Identity of the site. */
  readonly site: string;
  readonly holder: ProcessMark;
  /** Waits until it is known whether the holder of the lock is alive, instead of assuming that it is. */
  readonly patient: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

const staleMs = 60_000;
const beatMs = 10_000;
const lookMs = 1_000;
const maxName = 150;

/** Name of the lock file: one per site, whatever the area and folder of the run. */
const fileName = (site: string): string => {
  const name = encodeURIComponent(site);
  const whole = name.length <= maxName ? name : createHash('sha256').update(site).digest('hex');
  return `.patrol-datamodel-${whole}.lock`;
};

const create = async (path: string, content: string): Promise<boolean> => {
  try {
    const handle = await open(path, 'wx');
    await handle.writeFile(content);
    await handle.close();
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new RelayError('output_not_writable', { details: { path, reason: message }, cause: error });
  }
};

const contentOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/** Modification time of a file. Opens the file, because a shared volume may serve stale metadata for a path. */
const dateOf = async (path: string): Promise<number> => {
  const handle = await open(path);
  try {
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
  }
};

/** Age of a file by the clock of its own disk, because machines that share a volume may have different clocks. */
const ageOf = async (path: string, probe: string): Promise<number> => {
  await create(probe, '');
  try {
    const [now, then] = await Promise.all([dateOf(probe), dateOf(path)]);
    return now - then;
  } finally {
    await unlink(probe).catch(() => undefined);
  }
};

const isStale = async (path: string, unique: string): Promise<boolean> =>
  (await ageOf(path, `${path}.${unique}.probe`).catch(() => 0)) >= staleMs;

const contentFor = ({ holder, machine, started }: ProcessMark, unique: string): string =>
  `${holder} ${unique} ${machine} ${started}\n`;

/** Whether the holder has ended. On this machine the process is checked directly; on another machine only its heartbeat is visible. */
const isAbandoned = async (path: string, unique: string): Promise<boolean> => {
  const [holder = '', , machine = '', started = ''] = (await contentOf(path))?.trimEnd().split(' ') ?? [];
  return hasEnded({ holder, machine, started }) || isStale(path, unique);
};

/**
 * Removes a lock whose holder has ended. Holds a second file while it checks again, so that it does not remove a lock that another process
 * took after the first check.
 */
const clearAbandoned = async (path: string, unique: string): Promise<void> => {
  if (!(await isAbandoned(path, unique))) return;
  const clearing = `${path}.clearing`;
  if (!(await create(clearing, ''))) {
    if (await isStale(clearing, unique)) await unlink(clearing).catch(() => undefined);
    return;
  }
  try {
    if (await isAbandoned(path, unique)) await unlink(path).catch(() => undefined);
  } finally {
    await unlink(clearing).catch(() => undefined);
  }
};

/** Waits until the lock is refreshed or removed, or until its holder is known to have ended. */
const untilKnown = async (path: string, clock: Clock, unique: string): Promise<void> => {
  const dated = (): Promise<number | undefined> => dateOf(path).catch(() => undefined);
  const first = await dated();
  if (first === undefined) return;
  while (!(await isAbandoned(path, unique))) {
    await clock.sleep(lookMs);
    if ((await dated()) !== first) return;
  }
};

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Refreshes the modification time of the lock by the clock of its disk. Opens the file without creating it, so that a removed lock stays
 * removed.
 * @returns false when another process holds the lock, or the file is gone
 */
const refresh = async (path: string, content: string): Promise<boolean> => {
  try {
    if ((await readFile(path, 'utf8')) !== content) return false;
    const handle = await open(path, 'r+');
    await handle.write(content, 0).finally(() => handle.close());
    return true;
  } catch (error) {
    return !isGone(error);
  }
};

/**
 * Takes the lock of a site in a folder and refreshes it until the caller releases it.
 * @throws RelayError `locked`, `output_not_writable`
 */
export const takeLock = async (options: LockOptions): Promise<Lock> => {
  const { folder, site, holder, patient, clock, random } = options;
  const path = join(folder, fileName(site));
  const content = contentFor(holder, random.uuid());
  for (let tries = 0; !(await create(path, content)); tries += 1) {
    if (tries > 0) {
      const other = (await contentOf(path))?.split(' ')[0];
      throw new RelayError('locked', { details: { holder: other || 'somebody', path } });
    }
    if (patient) await untilKnown(path, clock, random.uuid());
    await clearAbandoned(path, random.uuid());
  }
  const gone = new AbortController();
  const stopBeating = repeat({ clock, everyMs: beatMs }, async () => {
    if (await refresh(path, content)) return;
    gone.abort();
    void stopBeating();
  });
  return {
    lost: gone.signal,
    async release() {
      await stopBeating();
      if ((await contentOf(path)) === content) await unlink(path).catch(() => undefined);
    },
  };
};

/**
 * Runs the work while holding all locks; the signal aborts when a lock is lost. When a lock cannot be taken, those taken before are
 * released.
 * @throws RelayError `locked` and what the work throws
 */
export const underLocks = async <T>(
  locks: readonly LockOptions[],
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> => {
  const [first, ...others] = locks;
  if (!first) return work(new AbortController().signal);
  const lock = await takeLock(first);
  try {
    return await underLocks(others, (lost) => work(AbortSignal.any([lost, lock.lost])));
  } finally {
    await lock.release();
  }
};
