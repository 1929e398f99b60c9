import type { Bus } from '@ranger-relay/bus';
import type { KeyValue } from '@ranger-relay/kv';

/** Opens the bus read-only, beside a running `up` or without one. @throws RelayError with a sentence when there is none */
export type OpenBus = () => Promise<Bus>;

/** Bus and store of one installation. */
export interface Stores {
  readonly bus: Bus;
  readonly kv: KeyValue;
}

/** Opens both, as `OpenBus`. */
export type OpenStores = () => Promise<Stores>;

/** Runs `work` on what `open` gives and closes it whatever happens. */
export const withOpen = async <Opened extends { close(): Promise<void> | void }, T>(
  open: () => Opened | Promise<Opened>,
  work: (opened: Opened) => T | Promise<T>,
): Promise<T> => {
  const opened = await open();
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
};

/** Runs `work` on opened stores and closes them whatever happens. */
export const withStores = async <T>(open: OpenStores, work: (stores: Stores) => Promise<T>): Promise<T> => {
  const stores = await open();
  return withOpen(
    () => stores.bus,
    () =>
      withOpen(
        () => stores.kv,
        () => work(stores),
      ),
  );
};

/** Who sends what is on the bus: a running `up`, the services of a cluster (which are not asked), or nobody. */
export type Sender = 'up' | 'services' | 'nobody';

/** Openers of bus and store, for commands that look into them: those of this machine unless others are named. */
export interface StoreOpeners {
  readonly openBus: OpenBus;
  readonly openStores: OpenStores;
  /** Opens only the store. @throws RelayError with a sentence when there is none */
  readonly openKv: () => Promise<KeyValue>;
  /** The bus is a cluster's: what runs on it is not one process that could be asked. @throws RelayError `config_invalid` */
  readonly isRemote: () => boolean;
  /** Directory of the stores of this machine, absolute. @throws RelayError `config_invalid` */
  readonly dataDir: () => string;
  /** Since when this machine keeps its bus, ISO; null when that is not known, as on a cluster. */
  readonly busSince: () => Promise<string | null>;
  /** @throws RelayError `config_invalid` */
  readonly sender: () => Sender;
  /** Name of the topic of the activity log. @throws RelayError `config_invalid` */
  readonly activityTopic: () => string;
}
