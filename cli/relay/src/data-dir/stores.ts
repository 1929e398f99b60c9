import type { EmbeddedBus } from '@ranger-relay/bus';
import type { KeyValue } from '@ranger-relay/kv';
import { openBus, type OpenBusOptions } from './open-bus.ts';
import { openKv } from './open-kv.ts';
import type { DataDir } from './open.ts';

/** Bus and store of one machine, and what a person should be told about how they were found. */
export interface EmbeddedStores {
  readonly bus: EmbeddedBus;
  readonly kv: KeyValue;
  /** Sentences to print; empty as a rule. */
  readonly warnings: readonly string[];
}

/**
 * Opens bus and key-value store of a locked directory, the bus first: without it nothing may start.
 * @throws RelayError `store_missing`, `store_damaged`, `store_full`, `data_dir_unusable`
 */
export const openEmbeddedStores = async (dir: DataDir, options: OpenBusOptions): Promise<EmbeddedStores> => {
  const bus = await openBus(dir, options);
  try {
    const kv = await openKv(dir, options.context);
    return { bus: bus.store, kv: kv.store, warnings: [...dir.warnings, ...bus.warnings, ...kv.warnings] };
  } catch (error) {
    await bus.store.close();
    throw error;
  }
};
