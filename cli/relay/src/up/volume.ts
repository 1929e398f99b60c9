import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import { type Context, type Details, repeat } from '@ranger-relay/runtime';

const everyMs = 10_000;
const MiB = 1_048_576;
/** Room for the journal of the bus: below it, writes begin to fail. */
const fullBytes = 16 * MiB;
/** On a small volume that much would be most of it. */
const fullShare = 0.02;
const lowShare = 0.1;

interface Space {
  readonly free: number;
  readonly size: number;
}

const isFull = ({ free, size }: Space): boolean => free < Math.min(fullBytes, fullShare * size);

const isLow = (space: Space): boolean => !isFull(space) && space.free < lowShare * space.size;

const detailsOf = (path: string, { free, size }: Space): Details => ({
  path,
  free_mib: Math.round(free / MiB),
  free_percent: Math.round((free / Math.max(1, size)) * 100),
});

const spaceOf = async (path: string, read: typeof statfs): Promise<Space> => {
  const { bavail, blocks, bsize } = await read(path);
  return { free: bavail * bsize, size: blocks * bsize };
};

/**
 * Reads the free space of the data directory's volume now and every 10 s, until the process ends: for the metrics, `volume_full` (less than 16 MiB or 2 % free)
 * and `volume_low` (less than a tenth). A read that fails leaves everything as it was.
 */
export const watchVolume = (
  { clock, log, metrics, conditions, lifecycle }: Context,
  path: string,
  read: typeof statfs = statfs,
): void => {
  const look = async (): Promise<void> => {
    try {
      const space = await spaceOf(path, read);
      metrics.set('relay_volume_free_bytes', space.free, { volume: 'data' });
      metrics.set('relay_volume_size_bytes', space.size, { volume: 'data' });
      for (const [name, isSo] of [
        ['volume_full', isFull],
        ['volume_low', isLow],
      ] as const)
        if (isSo(space)) conditions.set(name, '', detailsOf(path, space));
        else conditions.clear(name, '');
    } catch (error) {
      log.debug({ err: error }, 'the volume of the data directory could not be read');
    }
  };
  const stop = repeat({ clock, everyMs, firstMs: 0 }, look);
  lifecycle.onStop('volume', () => void stop());
};

/** Whether a full volume explains an error of a start; a small volume has some room left after what did not fit. */
const explains = (space: Space, code: string): boolean =>
  code === 'data_dir_unusable' ? isFull(space) : ['ENOSPC', 'store_full'].includes(code) && space.free < fullBytes;

/** The first folder at or above a path that is there: the path itself may be what could not be created. */
const nearestSpace = async (path: string, read: typeof statfs): Promise<Space | undefined> => {
  const space = await spaceOf(path, read).catch(() => undefined);
  return space || dirname(path) === path ? space : nearestSpace(dirname(path), read);
};

/** Free MiB of the volume of a directory while it is full; undefined while it is not, or cannot be asked. */
export const fullVolume = async (path: string, read: typeof statfs = statfs): Promise<number | undefined> => {
  const space = await nearestSpace(path, read);
  return space && isFull(space) ? Math.round(space.free / MiB) : undefined;
};

/** Why a start on a directory failed: `volume_full` where its volume explains the error, which may be of any file of it. */
export const startFailure = async (
  thrown: unknown,
  dataDir: string,
  read: typeof statfs = statfs,
): Promise<RelayError> => {
  const { code = '' } = thrown as { readonly code?: string };
  const path = resolve(dataDir);
  const space = await nearestSpace(path, read);
  if (space && explains(space, code))
    return new RelayError('volume_full', { details: { path, free: Math.round(space.free / MiB) }, cause: thrown });
  return toRelayError(thrown);
};
