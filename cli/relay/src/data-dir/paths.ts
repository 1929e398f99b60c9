import { join, resolve } from 'node:path';

/** Files of the embedded adapters in a DATA_DIR. */
export interface StorePaths {
  readonly bus: string;
  readonly kv: string;
}

/** Where the files of a DATA_DIR are; also for commands that look into them beside a running `up`. */
export const storePaths = (dataDir: string): StorePaths => {
  const path = resolve(dataDir);
  return { bus: join(path, 'bus.sqlite'), kv: join(path, 'kv.sqlite') };
};
