import { statfs } from 'node:fs/promises';
import { type Context, type Details, runProbe } from '@ranger-relay/runtime';

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

/**
 * Reads the free space of the data directory's volume every 10 s, until the process ends: for the metrics, `volume_full` (less than 16 MiB or 2 % free)
 * and `volume_low` (less than a tenth). A read that fails leaves everything as it was.
 */
export const watchVolume = (
  { clock, log, metrics, conditions, lifecycle }: Context,
  path: string,
  read: typeof statfs = statfs,
): void => {
  const spaceOf = async (): Promise<Space | undefined> => {
    try {
      const { bavail, blocks, bsize } = await read(path);
      const space = { free: bavail * bsize, size: blocks * bsize };
      metrics.set('relay_volume_free_bytes', space.free, { volume: 'data' });
      metrics.set('relay_volume_size_bytes', space.size, { volume: 'data' });
      return space;
    } catch (error) {
      log.debug({ err: error }, 'the volume of the data directory could not be read');
      return undefined;
    }
  };
  const ask = (isSo: (space: Space) => boolean) => async (): Promise<Details | null | undefined> => {
    const space = await spaceOf();
    if (!space) return undefined;
    return isSo(space) ? detailsOf(path, space) : null;
  };
  for (const [name, isSo] of [
    ['volume_full', isFull],
    ['volume_low', isLow],
  ] as const) {
    const stop = runProbe({ clock, conditions }, { name, subject: '', everyMs, ask: ask(isSo) });
    lifecycle.onStop('volume', () => void stop());
  }
};
