import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { runProgram } from '@ranger-relay/terminal';
import { recordingShell } from '@ranger-relay/terminal/testing';
import { syncProgram } from '../../program/program.ts';

/** How a call of the tool ended and what it printed. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly json: () => Record<string, unknown>;
}

/** Calls the tool without a site. */
export const call = async (...args: readonly string[]): Promise<Ended> => {
  const shell = recordingShell();
  const code = await runProgram(shell, await syncProgram(shell), args);
  const out = shell.lines.join('\n');
  return {
    code: code === 0 ? shell.exitCode() : code,
    out,
    err: shell.errors.join('\n'),
    json: () => JSON.parse(out) as Record<string, unknown>,
  };
};

/** A path in a folder of the test's own at which nothing is. */
export const freshPath = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-tool-bundle-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'export');
};
