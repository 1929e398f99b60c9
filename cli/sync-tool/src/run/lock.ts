import { hash } from 'node:crypto';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Clock, Random } from '@ranger-relay/runtime';
import { z } from 'zod';
import { createFile, onDisk } from './files.ts';
import type { Disk, Machine } from './machine.ts';

/** A lock that this process holds. */
export interface Lock {
  release(): Promise<void>;
}

/** Which site the lock covers, and which process requests it. */
export interface LockOptions {
  /** A folder that all competing processes can access. */
  readonly folder: string;
  /** Identity of the site. */
  readonly site: string;
  readonly machine: Pick<Machine, 'disk' | 'mark' | 'hasEnded'>;
  /** Removes the lock that is there, whoever holds it. */
  readonly force: boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

const maxName = 150;

/** Name of the lock file: one per site, whatever the area and folder of the run. */
const fileName = (site: string): string => {
  const name = encodeURIComponent(site);
  const whole = name.length <= maxName ? name : hash('sha256', site);
  return `.patrol-datamodel-${whole}.lock`;
};

/** Who holds a lock, and since when. */
const holderSchema = z.object({ holder: z.string(), since: z.string(), machine: z.string(), started: z.string() });

const holderIn = (content: string | undefined): z.infer<typeof holderSchema> | undefined => {
  try {
    return holderSchema.parse(JSON.parse(content ?? ''));
  } catch {
    return undefined;
  }
};

const create = (disk: Disk, path: string, content: string): Promise<boolean> =>
  onDisk(path, () => createFile(disk, path, content, false));

const contentOf = (disk: Disk, path: string): Promise<string | undefined> =>
  disk.readFile(path, 'utf8').catch(() => undefined);

/** Beside a lock: the file of the one process that may remove it. It is named by the content, so that it never stands for a later lock. */
export const claimPath = (path: string, content: string): string => `${path}.${hash('sha256', content).slice(0, 16)}`;

/** Who removes a lock. */
interface Remover {
  readonly machine: Pick<Machine, 'disk' | 'hasEnded'>;
  /** Content of its own lock. */
  readonly own: string;
  /** A person says that nobody works. */
  readonly force: boolean;
}

/**
 * Removes a lock that was seen, and no other: whoever removes one claims it first, and looks again. What a process of this machine had claimed
 * that has ended is free, and by force any claim.
 */
const remove = async (remover: Remover, path: string, seen: string): Promise<void> => {
  const { machine, own, force } = remover;
  const { disk, hasEnded } = machine;
  const claim = claimPath(path, seen);
  if (!(await create(disk, claim, own))) {
    const other = await contentOf(disk, claim);
    const holder = holderIn(other);
    if (force) await disk.unlink(claim).catch(() => undefined);
    else if (other !== undefined && holder && hasEnded(holder)) await remove(remover, claim, other);
    return;
  }
  try {
    if ((await contentOf(disk, path)) === seen) await disk.unlink(path).catch(() => undefined);
  } finally {
    await disk.unlink(claim).catch(() => undefined);
  }
};

/** How often a lock is asked for: what processes left that ended while they removed another's lock is removed first. */
const maxTries = 12;

/** Takes the lock of a site in a folder until the caller releases it. @throws RelayError `locked`, `output_not_writable` */
export const takeLock = async (options: LockOptions): Promise<Lock> => {
  const { folder, site, machine, force, clock, random } = options;
  const { disk, mark, hasEnded } = machine;
  const path = join(folder, fileName(site));
  const since = new Date(clock.now()).toISOString();
  const own = `${JSON.stringify({ ...mark, since, id: random.uuid() })}\n`;
  const seen = await contentOf(disk, path);
  const before = holderIn(seen);
  const isFree = force || (before !== undefined && hasEnded(before));
  for (let tries = 1; !(await create(disk, path, own)); tries += 1) {
    if (tries === maxTries) {
      const { holder = 'somebody', since: at = 'an unknown time' } = holderIn(await contentOf(disk, path)) ?? {};
      throw new RelayError('locked', { details: { holder, since: at, path } });
    }
    if (seen !== undefined && isFree) await remove({ machine, own, force }, path, seen);
  }
  return {
    async release() {
      try {
        await remove({ machine, own, force: false }, path, own);
      } catch {
        // Without room for a claim; the end of a run must not be hidden by that.
        if ((await contentOf(disk, path)) === own) await disk.unlink(path).catch(() => undefined);
      }
    },
  };
};

/**
 * Runs the work while holding all locks. When a lock cannot be taken, those taken before are released.
 * @throws RelayError `locked` and what the work throws
 */
export const underLocks = async <T>(locks: readonly LockOptions[], work: () => Promise<T>): Promise<T> => {
  const [first, ...others] = locks;
  if (!first) return work();
  const lock = await takeLock(first);
  try {
    return await underLocks(others, work);
  } finally {
    await lock.release();
  }
};
