import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { openEmbeddedKv } from '../embedded/open.ts';
import type { KeyValue } from '../port.ts';

/** A store in a directory of its own. */
export interface TemporaryKv {
  readonly kv: KeyValue;
  /** The file. */
  readonly path: string;
  /** Closes the store and removes the directory. */
  close(): Promise<void>;
}

/** Opens the embedded store on a fresh temporary file. */
export const temporaryKv = async ({ clock = systemClock }: { clock?: Clock } = {}): Promise<TemporaryKv> => {
  const directory = await mkdtemp(join(tmpdir(), 'relay-kv-'));
  const path = join(directory, 'kv.sqlite');
  const kv = await openEmbeddedKv({ path, clock, log: silentLogger() });
  return {
    kv,
    path,
    async close() {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
