import type { Bus } from '@ranger-relay/bus';
import { type KeyValue, openEmbeddedKv } from '@ranger-relay/kv';
import type { Context } from '@ranger-relay/runtime';
import { statOf } from './files.ts';
import { openBus, type OpenBusOptions, type Opened } from './open-bus.ts';
import type { DataDir } from './open.ts';

const consequence = 'Events that were sent before and are redelivered may be sent twice.';

/**
 * Opens the key-value store of a directory. A lost or damaged one starts empty, with a warning and a condition: without its marks only the
 * platform drops repeats, and what was wrong is forgotten.
 * @throws RelayError `store_full`, `data_dir_unusable`
 */
export const openKv = async (
  dir: DataDir,
  { clock, log, conditions }: Pick<Context, 'clock' | 'log' | 'conditions'>,
): Promise<Opened<KeyValue>> => {
  const path = dir.paths.kv;
  const warnings: string[] = [];
  const known = dir.marker().kv_since !== null;
  const file = await statOf(path);
  if (known && !file) warnings.push(`${path} was missing and starts empty. ${consequence}`);
  if (known && file?.size === 0) warnings.push(`${path} was emptied and starts empty. ${consequence}`);
  const store = await openEmbeddedKv({
    path,
    clock,
    log,
    onRebuilt: ({ reason, aside }) =>
      warnings.push(
        `${path} was damaged (${reason}) and starts empty; the old file is kept as ${aside}. ${consequence}`,
      ),
  });
  if (warnings.length > 0) conditions.set('store_lost', '', { path });
  if (warnings.length === 0 && known) return { store, warnings };
  try {
    await dir.record({ kv_since: new Date(clock.now()).toISOString() });
    return { store, warnings };
  } catch (error) {
    await store.close();
    throw error;
  }
};

/** Bus and store of one installation, with warnings for the user. */
export interface Stores {
  readonly bus: Bus;
  readonly kv: KeyValue;
  /** Sentences to print; usually empty. */
  readonly warnings: readonly string[];
}

/** Stores outside of the directory. */
export interface Elsewhere {
  readonly bus?: Bus;
  readonly kv?: KeyValue;
}

/**
 * Opens bus and key-value store of a locked directory, the bus first, because nothing may start without it. Stores outside of the directory
 * are opened there.
 * @throws RelayError `store_missing`, `store_damaged`, `store_full`, `data_dir_unusable`
 */
export const openStores = async (dir: DataDir, options: OpenBusOptions, elsewhere: Elsewhere = {}): Promise<Stores> => {
  const bus = elsewhere.bus ? { store: elsewhere.bus, warnings: [] } : await openBus(dir, options);
  try {
    const kv = elsewhere.kv ? { store: elsewhere.kv, warnings: [] } : await openKv(dir, options.context);
    return { bus: bus.store, kv: kv.store, warnings: [...dir.warnings, ...bus.warnings, ...kv.warnings] };
  } catch (error) {
    await bus.store.close();
    throw error;
  }
};
