import { statfs } from 'node:fs/promises';
import type { KeyValue } from '@ranger-relay/kv';
import type { Context } from '@ranger-relay/runtime';

/** Shows at each scrape whether the store on this machine works. */
export const measureStore = ({ metrics }: Pick<Context, 'metrics'>, kv: Pick<KeyValue, 'ready'>): void =>
  metrics.onScrape(() => metrics.set('relay_store_ready', kv.ready() ? 1 : 0, { store: 'file' }));

/** Shows at each scrape how much room is left where the data directory is; a look that fails leaves the last one. */
export const measureVolume = ({ metrics, log }: Pick<Context, 'metrics' | 'log'>, path: string): void =>
  metrics.onScrape(async () => {
    try {
      const { bavail, blocks, bsize } = await statfs(path);
      metrics.set('relay_volume_free_bytes', bavail * bsize, { volume: 'data' });
      metrics.set('relay_volume_size_bytes', blocks * bsize, { volume: 'data' });
    } catch (error) {
      log.debug({ err: error }, 'the volume of the data directory could not be looked at');
    }
  });
