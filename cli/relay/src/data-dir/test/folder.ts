import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** A directory of its own, removed when the test ends. */
export const temporaryFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-data-dir-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};
