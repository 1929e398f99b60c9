import { topics } from '@ranger-relay/contracts';
import { recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import type { ExecutionContext } from 'ava';
import type { EmbeddedBus } from '@ranger-relay/bus';
import type { OpenBusOptions } from '../open-bus.ts';
import { openDataDir, type DataDir } from '../open.ts';
import { openStores, type Stores } from '../stores.ts';

/** Both of the machine's own. */
type EmbeddedStores = Stores & { readonly bus: EmbeddedBus };
import { temporaryFolder } from './folder.ts';

/** What a person allows, as the options of `up` would. */
export type Allowed = Partial<Pick<OpenBusOptions, 'acceptEmptyBus' | 'salvageBus'>>;

/** A DATA_DIR, and a way to run through one life of a process on it. */
export interface Harness {
  readonly dir: DataDir;
  /** Opens the stores, uses them, closes them. */
  live<T>(allowed: Allowed, use: (stores: EmbeddedStores) => Promise<T> | T): Promise<T>;
}

/** Opens a fresh DATA_DIR. */
export const openHarness = async (t: ExecutionContext): Promise<Harness> => {
  const context = testContext({ log: recordingLogger().log });
  const dir = await openDataDir(await temporaryFolder(t), context);
  t.teardown(() => dir.release());
  return {
    dir,
    async live(allowed, use) {
      const options = { acceptEmptyBus: false, salvageBus: false, topics: Object.values(topics), context, ...allowed };
      const stores = (await openStores(dir, options)) as EmbeddedStores;
      try {
        return await use(stores);
      } finally {
        await Promise.all([stores.bus.close(), stores.kv.close()]);
      }
    },
  };
};

/** Publishes records `0` to `count` - 1 to the activity topic. */
export const fill = async (bus: EmbeddedBus, count: number): Promise<void> => {
  const records = Array.from({ length: count }, (_, n) => ({ key: `${n % 7}`, value: `${n} ${'x'.repeat(500)}` }));
  await bus.publish('integration-events', records);
};

/** Numbers of the records that are there, sorted. */
export const found = async (bus: EmbeddedBus): Promise<number[]> => {
  const numbers: number[] = [];
  for await (const { value } of bus.read({ topic: 'integration-events' }))
    numbers.push(Number.parseInt(Buffer.from(value).toString(), 10));
  return numbers.sort((left, right) => left - right);
};
