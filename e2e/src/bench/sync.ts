import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchBundle } from './sync-bundle.ts';
import { benchRuns } from './sync-run.ts';
import { benchStart } from './sync-start.ts';
import type { Figure } from './table.ts';

/** The command line that prepares a site: how it starts, reads a very large bundle, and runs against a site with latency. */
export const benchSync = async (isQuick: boolean): Promise<Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'ranger-relay-bench-sync-'));
  try {
    return [
      ...(await benchStart()),
      ...(await benchBundle(folder, isQuick ? 2_000 : 100_000)),
      ...(await benchRuns(folder, isQuick ? 200 : 5_000, isQuick ? 100 : 2_000)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
