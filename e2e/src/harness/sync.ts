import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshSite, type FreshSiteOptions, type SiteSimulator } from '@ranger-relay/simulators';
import { commandOf, type Program } from './form.ts';
import { finish, startNode, type Finished, type Started } from './product.ts';

const tool: Program = { folder: 'cli/sync-tool', name: 'sync-tool', flags: [] };

/** `sync-tool` as processes of their own, beside a simulated site and a folder with a bundle. */
export interface SyncHarness {
  readonly folder: string;
  readonly bundle: string;
  readonly site: SiteSimulator;
  start(...args: readonly string[]): Started;
  run(...args: readonly string[]): Promise<Finished>;
  /** Arguments that reach the site. */
  readonly onSite: readonly string[];
  /** Paths of the run records. */
  records(): string[];
  /** Puts the site back to how it was before anything ran. */
  reset(): void;
  remove(): Promise<void>;
}

const start = (...args: readonly string[]): Started => startNode([...commandOf(tool), ...args]);

const run = (...args: readonly string[]): Promise<Finished> => finish(start(...args));

/** Opens a world; `sample` are arguments of `bundle sample`. */
export const openSyncHarness = async (
  sample: readonly string[],
  options: FreshSiteOptions = {},
): Promise<SyncHarness> => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-e2e-'));
  const bundle = join(folder, 'export');
  const site = await freshSite(options);
  const { groups } = site.state();
  const { code, stderr } = await run('bundle', 'sample', bundle, ...sample);
  if (code !== 0) throw new Error(stderr);
  return {
    folder,
    bundle,
    site,
    start,
    run,
    onSite: ['--site-endpoint', site.url, '--site-token', site.token],
    records: () =>
      readdirSync(folder)
        .filter((name) => /^patrol-datamodel-run-\w+\.json$/.test(name))
        .map((name) => join(folder, name)),
    reset() {
      site.faults.clear();
      site.set({ latency_ms: 0 });
      site.seed({ types: [], choices: [], subjects: [], form: null, groups });
    },
    async remove() {
      await site.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const active = (rows: readonly { readonly is_active: boolean }[]): number =>
  rows.filter(({ is_active }) => is_active).length;

/** Number of used types, subjects and choices of a site. */
export const inUse = ({
  site,
}: Pick<SyncHarness, 'site'>): readonly [types: number, subjects: number, choices: number] => {
  const { types, subjects, choices } = site.state();
  return [types.length, active(subjects), active(choices)];
};
