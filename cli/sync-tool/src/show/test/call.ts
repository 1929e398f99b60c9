import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { runTool, type Call } from '../../test/harness.ts';
import { testShell } from '../../test/shell.ts';

/** Calls the tool without a site. */
export const call = (...args: readonly string[]): Promise<Call> => runTool(testShell(), args);

/** A path in a folder of the test's own at which nothing is. */
export const freshPath = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-tool-bundle-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'export');
};
