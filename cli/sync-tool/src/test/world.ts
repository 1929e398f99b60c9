import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { systemClock } from '@ranger-relay/runtime';
import { freshSite, type FreshSiteOptions, type LogEntry, type SiteSimulator } from '@ranger-relay/simulators';
import { runProgram } from '@ranger-relay/terminal';
import { recordingShell, type RecordingShell } from '@ranger-relay/terminal/testing';
import { syncProgram } from '../program/program.ts';

/** One call of the tool. */
export interface Call {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Of --output json. */
  readonly json: () => Record<string, unknown>;
}

/** A write as the site was asked for it. */
export type Write = Pick<LogEntry, 'method' | 'path' | 'body'>;

/** A fresh site and a folder with a bundle in it. */
export interface World {
  readonly folder: string;
  readonly bundle: string;
  readonly site: SiteSimulator;
  /** Runs the tool; `{site}` arguments that reach the site are added by `onSite`. */
  run(...args: readonly string[]): Promise<Call>;
  /** How the site is reached. */
  readonly onSite: readonly string[];
  /** `patrol-datamodel` on bundle and site. */
  sync(...more: readonly string[]): Promise<Call>;
  dry(...more: readonly string[]): Promise<Call>;
  /** Writes since the last call of this. */
  writes(): Write[];
  /** Names of files beside the bundle. */
  files(): string[];
  records(): string[];
  read(name: string): string;
}

/** Opens a world; `write` lays down the bundle. */
export const openWorld = async (
  t: ExecutionContext,
  write: (folder: string) => Promise<unknown>,
  options: FreshSiteOptions = {},
): Promise<World> => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-tool-'));
  const bundle = join(folder, 'export');
  await write(bundle);
  const site = await freshSite(options);
  t.teardown(async () => {
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let seen = 0;
  const run = async (...args: readonly string[]): Promise<Call> => {
    const shell: RecordingShell = { ...recordingShell(), clock: systemClock } as unknown as RecordingShell;
    const code = await runProgram(shell, await syncProgram(shell), args);
    const out = shell.lines.join('\n');
    return {
      code: code === 0 ? shell.exitCode() : code,
      out,
      err: shell.errors.join('\n'),
      json: () => JSON.parse(out) as Record<string, unknown>,
    };
  };
  const onSite = ['--site-endpoint', site.url, '--site-token', site.token];
  const call = ['patrol-datamodel', '--bundle', bundle, ...onSite];
  const files = (): string[] => readdirSync(folder).filter((name) => name !== 'export');
  return {
    folder,
    bundle,
    site,
    run,
    onSite,
    sync: (...more) => run(...call, ...more),
    dry: (...more) => run('--dry-run', ...call, ...more),
    writes() {
      const fresh = site.log.writes().filter(({ seq }) => seq > seen);
      seen = Math.max(seen, ...site.log.entries().map(({ seq }) => seq));
      return fresh.map(({ method, path, body }) => ({ method, path: path.replace('/api/v1.0/', ''), body }));
    },
    files,
    records: () => files().filter((name) => /^patrol-datamodel-run-\w+\.json$/.test(name)),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
  };
};
