import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { type Clock, type Random, repeat } from '@ranger-relay/runtime';
import type { Disk, Machine, ProcessMark } from './machine.ts';

/** A lock that this process holds. */
export interface Lock {
  /** Aborted when another process has taken the lock, because this process did not refresh it in time. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

type LockMachine = Pick<Machine, 'disk' | 'mark' | 'hasEnded'>;

/** Which site the lock covers, and which process requests it. */
export interface LockOptions {
  /** A folder that all competing processes can access. */
  readonly folder: string;
  /** Identity of the site. */
  readonly site: string;
  readonly machine: LockMachine;
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

const create = async (disk: Disk, path: string, content: string): Promise<boolean> => {
  try {
    const handle = await disk.open(path, 'wx');
    await handle.writeFile(content);
    await handle.close();
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new RelayError('output_not_writable', { details: { path, reason: message }, cause: error });
  }
};

const contentOf = (disk: Disk, path: string): Promise<string | undefined> =>
  disk.readFile(path, 'utf8').catch(() => undefined);

/** Modification time of a file. Opens the file, because a shared volume may serve stale metadata for a path. */
const dateOf = async (disk: Disk, path: string): Promise<number> => {
  const handle = await disk.open(path);
  try {
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
  }
};

/** Age of a file by the clock of its own disk, because machines that share a volume may have different clocks. */
const ageOf = async (disk: Disk, path: string, probe: string): Promise<number> => {
  await create(disk, probe, '');
  try {
    const [now, then] = await Promise.all([dateOf(disk, probe), dateOf(disk, path)]);
    return now - then;
  } finally {
    await disk.unlink(probe).catch(() => undefined);
  }
};

const isStale = async (disk: Disk, path: string, unique: string): Promise<boolean> =>
  (await ageOf(disk, path, `${path}.${unique}.probe`).catch(() => 0)) >= staleMs;

const contentFor = ({ holder, machine, started }: ProcessMark, unique: string): string =>
  `${holder} ${unique} ${machine} ${started}\n`;

/** Whether the holder has ended. On this machine the process is checked directly; on another machine only its heartbeat is visible. */
const isAbandoned = async ({ disk, hasEnded }: LockMachine, path: string, unique: string): Promise<boolean> => {
  const [holder = '', , machine = '', started = ''] = (await contentOf(disk, path))?.trimEnd().split(' ') ?? [];
  return hasEnded({ holder, machine, started }) || isStale(disk, path, unique);
};

/**
 * Removes a lock whose holder has ended. Holds a second file while it checks again, so that it does not remove a lock that another process
 * took after the first check.
 * @returns whether to try again: the second file was left by a process that ended while it held it, and is removed
 */
const clearAbandoned = async (machine: LockMachine, path: string, unique: string): Promise<boolean> => {
  const { disk } = machine;
  if (!(await isAbandoned(machine, path, unique))) return false;
  const clearing = `${path}.clearing`;
  if (!(await create(disk, clearing, ''))) {
    if (!(await isStale(disk, clearing, unique))) return false;
    await disk.unlink(clearing).catch(() => undefined);
    return true;
  }
  try {
    if (await isAbandoned(machine, path, unique)) await disk.unlink(path).catch(() => undefined);
  } finally {
    await disk.unlink(clearing).catch(() => undefined);
  }
  return false;
};

/** Waits until the lock is refreshed or removed, or until its holder is known to have ended. */
const untilKnown = async (machine: LockMachine, path: string, clock: Clock, unique: string): Promise<void> => {
  const dated = (): Promise<number | undefined> => dateOf(machine.disk, path).catch(() => undefined);
  const first = await dated();
  if (first === undefined) return;
  while (!(await isAbandoned(machine, path, unique))) {
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
const refresh = async (disk: Disk, path: string, content: string): Promise<boolean> => {
  try {
    if ((await disk.readFile(path, 'utf8')) !== content) return false;
    const handle = await disk.open(path, 'r+');
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
  const { folder, site, machine, patient, clock, random } = options;
  const { disk, mark } = machine;
  const path = join(folder, fileName(site));
  const content = contentFor(mark, random.uuid());
  for (let tries = 0; !(await create(disk, path, content)); tries += 1) {
    if (tries > 0) {
      const other = (await contentOf(disk, path))?.split(' ')[0];
      throw new RelayError('locked', { details: { holder: other || 'somebody', path } });
    }
    if (patient) await untilKnown(machine, path, clock, random.uuid());
    if (!(await clearAbandoned(machine, path, random.uuid()))) continue;
    // Others that found the same file stale have removed it by then, and not one that was made since.
    await clock.sleep(lookMs);
    await clearAbandoned(machine, path, random.uuid());
  }
  const gone = new AbortController();
  const stopBeating = repeat({ clock, everyMs: beatMs }, async () => {
    if (await refresh(disk, path, content)) return;
    gone.abort();
    void stopBeating();
  });
  return {
    lost: gone.signal,
    async release() {
      await stopBeating();
      if ((await contentOf(disk, path)) === content) await disk.unlink(path).catch(() => undefined);
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
