import type { Bus } from '@ranger-relay/bus';
import type { KeyValue } from '@ranger-relay/kv';
import { openBus, type OpenBusOptions } from './open-bus.ts';
import { openKv } from './open-kv.ts';
import type { DataDir } from './open.ts';

/** Bus and store of one installation, and what a person should be told about how they were found. */
export interface Stores {
  readonly bus: Bus;
  readonly kv: KeyValue;
  /** Sentences to print; empty as a rule. */
  readonly warnings: readonly string[];
}

/** What lies elsewhere than in the directory. */
export interface Elsewhere {
  readonly bus?: Bus;
  readonly kv?: KeyValue;
}

/**
 * Opens bus and key-value store of a locked directory, the bus first: without it nothing may start. What lies elsewhere is taken from there.
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
