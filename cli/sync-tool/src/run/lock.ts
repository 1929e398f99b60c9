import { createHash } from 'node:crypto';
import { open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Clock, Random, Timer } from '@ranger-relay/runtime';
import { hasEnded, type ProcessMark } from './process.ts';

/** A lock that is held. */
export interface Lock {
  /** Aborted when somebody else has taken it: this process stood still for too long. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** What a lock is about and who wants it. */
export interface LockOptions {
  /** What all who shall keep out of each other's way can see. */
  readonly folder: string;
  /** Identity of the site. */
  readonly site: string;
  readonly holder: ProcessMark;
  /** Waits until it is known whether the holder of a lock lives, instead of taking it for alive. */
  readonly patient: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

const staleMs = 60_000;
const beatMs = 10_000;
const lookMs = 1_000;
const maxName = 150;

/** One file a site, whatever area and folder a run is about. */
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

/** When a file was last dated. It is opened for that: on a volume that several machines share, what is known of a name may be old. */
const dateOf = async (path: string): Promise<number> => {
  const handle = await open(path);
  try {
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
  }
};

/** Age of a file by the clock of its own disk: two machines on one volume may disagree about the time. */
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

/** Nobody can give a lock back whose process has ended, on this machine; one elsewhere is heard by its heartbeat. */
const isAbandoned = async (path: string, unique: string): Promise<boolean> => {
  const [holder = '', , machine = '', started = ''] = (await contentOf(path))?.trimEnd().split(' ') ?? [];
  return hasEnded({ holder, machine, started }) || isStale(path, unique);
};

/**
 * Takes away a lock whose holder is gone. Who does so holds a second file meanwhile and looks again: else the lock that somebody else took
 * after the first look would be taken away.
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

/** Waits while nobody can know whether the holder of a lock lives: until it is dated anew or gone, or too old to be alive. */
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
 * Dates the file anew, by the clock of its disk; opened so that a file which was taken away does not come back.
 * @returns false when it is somebody else's, or gone
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
 * Takes the lock of one site in a folder, and keeps it fresh until it is released.
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
  let timer: Timer | undefined;
  const beat = async (): Promise<void> => {
    if (!(await refresh(path, content))) return gone.abort();
    if (timer) timer = clock.after(beatMs, () => void beat());
  };
  timer = clock.after(beatMs, () => void beat());
  return {
    lost: gone.signal,
    async release() {
      timer?.cancel();
      timer = undefined;
      if ((await contentOf(path)) === content) await unlink(path).catch(() => undefined);
    },
  };
};

/**
 * Works while it holds these locks; the work hears when one is lost. Those that it has are given back when one is taken.
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
