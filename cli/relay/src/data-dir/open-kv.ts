import { openEmbeddedKv, type KeyValue } from '@ranger-relay/kv';
import type { Context } from '@ranger-relay/runtime';
import { lookAt } from './files.ts';
import type { DataDir } from './open.ts';
import type { Opened } from './open-bus.ts';

const consequence = 'Events that were sent before and come again now may be sent twice.';

/**
 * Opens the key-value store of a directory. A lost or damaged one starts empty, and the warnings say so: without its marks
 * the platform alone drops repeats.
 * @throws RelayError `store_full`, `data_dir_unusable`
 */
export const openKv = async (
  dir: DataDir,
  { clock, log }: Pick<Context, 'clock' | 'log'>,
): Promise<Opened<KeyValue>> => {
  const path = dir.paths.kv;
  const warnings: string[] = [];
  const known = dir.marker().kv_since !== null;
  const file = await lookAt(path);
  if (known && !file) warnings.push(`${path} was missing and starts empty. ${consequence}`);
  if (known && file?.size === 0) warnings.push(`${path} held nothing any more and starts empty. ${consequence}`);
  const store = await openEmbeddedKv({
    path,
    clock,
    log,
    onRebuilt: ({ reason, aside }) =>
      warnings.push(
        `${path} was damaged (${reason}) and starts empty; the old file is kept as ${aside}. ${consequence}`,
      ),
  });
  if (warnings.length === 0 && known) return { store, warnings };
  try {
    await dir.record({ kv_since: new Date(clock.now()).toISOString() });
    return { store, warnings };
  } catch (error) {
    await store.close();
    throw error;
  }
};
