import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { runRecordSchema, type RunRecord } from '@ranger-relay/contracts';
import { freshSite, type FreshSiteOptions, type LogEntry, type SiteSimulator } from '@ranger-relay/simulators';
import { type SampleOptions, writeSampleBundle } from '../bundle/sample/sample-bundle.ts';
import { smallCounts } from '../properties/test/case.ts';
import { runTool as runSyncTool } from '../program/program.ts';
import { testShell, type TestShell } from './shell.ts';

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
export interface Harness {
  readonly folder: string;
  readonly bundle: string;
  readonly site: SiteSimulator;
  /** Runs the tool; arguments that reach the site are in `onSite`. */
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
  /** The newest run record. */
  record(): RunRecord;
  /** Path of the newest run record. */
  recordPath(): string;
  /** The writes of all run records, oldest first. */
  changes(): RunRecord['changes'];
}

/** Runs the tool on a shell. */
export const runTool = async (shell: TestShell, args: readonly string[]): Promise<Call> => {
  const code = await runSyncTool(shell, args);
  const out = shell.lines.join('\n');
  return {
    code: code === 0 ? shell.exitCode() : code,
    out,
    err: shell.errors.join('\n'),
    json: () => JSON.parse(out) as Record<string, unknown>,
  };
};

const run = (...args: readonly string[]): Promise<Call> => runTool(testShell(), args);

/** Names of run records among files. */
const isRecord = (name: string): boolean => /^patrol-datamodel-run-\w+\.json$/.test(name);

/** Opens a world; `write` lays down the bundle. */
export const openHarness = async (
  t: ExecutionContext,
  write: (folder: string) => Promise<unknown>,
  options: FreshSiteOptions = {},
): Promise<Harness> => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-tool-'));
  const bundle = join(folder, 'export');
  await write(bundle);
  const site = await freshSite(options);
  t.teardown(async () => {
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let seen = 0;
  const onSite = ['--site-endpoint', site.url, '--site-token', site.token];
  const call = ['patrol-datamodel', '--bundle', bundle, ...onSite];
  const files = (): string[] => readdirSync(folder).filter((name) => name !== 'export');
  const records = (): string[] => files().filter(isRecord);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const newest = (): string => {
    const record = records().toSorted().at(-1);
    if (record === undefined) throw new Error(`a run record was expected: ${files().join(', ')}`);
    return record;
  };
  const parse = (name: string): RunRecord => runRecordSchema.parse(JSON.parse(read(name)));
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
    records,
    read,
    record: () => parse(newest()),
    recordPath: () => join(folder, newest()),
    changes: () =>
      records()
        .toSorted()
        .flatMap((name) => parse(name).changes),
  };
};

/** A harness with a small bundle of made-up content. */
export const openSampleHarness = (
  t: ExecutionContext,
  sample: SampleOptions,
  options: FreshSiteOptions = {},
): Promise<Harness> =>
  openHarness(t, (folder) => writeSampleBundle(folder, { counts: smallCounts, ...sample }), options);

/** Seeds what neither tool can make, and patrols of a sample need under a word: the team and the type of events. */
export const seedTeamAndEventType = (site: SiteSimulator, word: string): void => {
  const type = { id: 'e', value: `${word}-ca-import_wildlife_sighting`, display: 'Seen', category: 'wild' };
  site.seed({ teams: [{ value: 'team_0', display: 'Team 0' }], newEventTypes: [type] });
};
