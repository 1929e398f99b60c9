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

/** Runs `work` on opened stores and closes them whatever happens. */
export const withStores = async (open: OpenStores, work: (stores: Stores) => Promise<void>): Promise<void> => {
  const { bus, kv } = await open();
  try {
    await work({ bus, kv });
  } finally {
    await kv.close();
    await bus.close();
  }
};

/** Runs `work` on what `open` gives and closes it whatever happens. */
export const withOpen = async <Opened extends { close(): Promise<void> }, T>(
  open: () => Opened | Promise<Opened>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> => {
  const opened = await open();
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
};

/** Who sends what is on the bus: a running `up`, the services of a cluster (which are not asked), or nobody. */
export type Sender = 'up' | 'services' | 'nobody';
