import { open, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Clock, Random } from '@ranger-relay/runtime';

/** A lock that is held. */
export interface Lock {
  release(): Promise<void>;
}

/** What a lock is about and who wants it. */
export interface LockOptions {
  readonly folder: string;
  readonly site: string;
  readonly area: string;
  /** For the sentence that others get. */
  readonly holder: string;
  readonly clock: Clock;
  readonly random: Random;
}

const staleMs = 60_000;
const beatMs = 10_000;

const fileName = (site: string, area: string): string =>
  `.patrol-datamodel-${`${site}-${area}`.replaceAll(/[^A-Za-z0-9.-]/g, '_')}.lock`;

const create = async (path: string, content: string): Promise<boolean> => {
  try {
    const handle = await open(path, 'wx');
    await handle.writeFile(content);
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/** Age of a file by the clock of its own disk: two machines on one volume may disagree about the time. */
const ageOf = async (path: string, probe: string): Promise<number> => {
  await create(probe, '');
  try {
    const [now, then] = await Promise.all([stat(probe), stat(path)]);
    return now.mtimeMs - then.mtimeMs;
  } finally {
    await unlink(probe).catch(() => undefined);
  }
};

/** Takes away a lock whose holder is gone; of several who try only one gets it, for a name can be moved once. */
const clearStale = async (path: string, unique: string): Promise<void> => {
  const age = await ageOf(path, `${path}.${unique}.probe`).catch(() => 0);
  if (age < staleMs) return;
  const aside = `${path}.${unique}.stale`;
  await rename(path, aside).catch(() => undefined);
  await unlink(aside).catch(() => undefined);
};

/**
 * Takes the lock of one site and conservation area in the output folder, and keeps it fresh until it is released.
 * @throws RelayError `locked`
 */
export const takeLock = async ({ folder, site, area, holder, clock, random }: LockOptions): Promise<Lock> => {
  const path = join(folder, fileName(site, area));
  const content = `${holder} ${random.uuid()}\n`;
  for (let tries = 0; !(await create(path, content)); tries += 1) {
    if (tries > 0) {
      const other = await readFile(path, 'utf8').catch(() => 'somebody');
      throw new RelayError('locked', { details: { holder: other.split(' ')[0] ?? '', path } });
    }
    await clearStale(path, random.uuid());
  }
  /** The disk's own clock dates the file when it is written; one that was taken away meanwhile is somebody else's. */
  const refresh = async (): Promise<void> => {
    if ((await readFile(path, 'utf8')) === content) await writeFile(path, content);
  };
  const beat = (): void => {
    void refresh().catch(() => undefined);
    timer = clock.after(beatMs, beat);
  };
  let timer = clock.after(beatMs, beat);
  return {
    async release() {
      timer.cancel();
      const there = await readFile(path, 'utf8').catch(() => '');
      if (there === content) await unlink(path).catch(() => undefined);
    },
  };
};
