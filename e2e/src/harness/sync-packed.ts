import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { collect, type Finished } from './product.ts';
import { untilPrinted } from './ready.ts';

const call = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Folders of the caller's PATH, those of the workspace left out. */
const hostPath = (): readonly string[] =>
  (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));

/** Makes a folder that is removed at the end of the test. */
export const scratch = (t: ExecutionContext, prefix: string): string => {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
};

const tarballIn = (folder: string): string => readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? '';

/** Packs the tool as it is published; resolves with the path of the tarball. */
export const packTool = async (folder: string): Promise<string> => {
  await call('npm', ['pack', '-w', 'cli/sync-tool', '--pack-destination', folder], { cwd: root });
  return join(folder, tarballIn(folder));
};

/** Packs the Node that the package brings, for a machine that reaches no registry; undefined where none is packaged. */
export const packNode = async (folder: string): Promise<string | undefined> => {
  const from = join(root, 'node_modules', `node-${process.platform}-${process.arch}`);
  if (!existsSync(from)) return undefined;
  const place = join(folder, 'node');
  mkdirSync(place);
  await call('npm', ['pack', from, '--pack-destination', place]);
  return join(place, tarballIn(place));
};

/** The Node of the machine, outside the workspace; undefined when there is none. */
export const hostNode = (): string | undefined =>
  hostPath()
    .map((folder) => join(folder, 'node'))
    .find((path) => existsSync(path));

/** The newest Node of a major version from the registry; undefined when it does not answer. */
export const fetchedNode = async (folder: string, major: number): Promise<string | undefined> => {
  const name = `node-${process.platform}-${process.arch}@${major}`;
  try {
    await call('npm', ['pack', name, '--pack-destination', folder, '--fetch-retries=0'], { timeout: 120_000 });
    await call('tar', ['-xzf', join(folder, tarballIn(folder)), '-C', folder]);
    return join(folder, 'package/bin/node');
  } catch {
    return undefined;
  }
};

/** The packed tool on one Node, in an empty folder, where no registry can be reached. */
export interface PackedTool {
  readonly version: string;
  readonly folder: string;
  run(...args: readonly string[]): Promise<Finished>;
  /** Starts the simulated site; resolves with its address once it listens. */
  site(): Promise<string>;
}

const offline = 'http://127.0.0.1:9';

/** Finds this Node before any other, npm and npx of the machine behind it, and no registry. */
const environment = (folder: string, node: string): NodeJS.ProcessEnv => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(node, join(bin, 'node'));
  return {
    PATH: [bin, ...hostPath()].join(delimiter),
    HOME: folder,
    NO_COLOR: '1',
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry: offline,
    npm_config_fetch_retries: '0',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    HTTPS_PROXY: offline,
    HTTP_PROXY: offline,
    NO_PROXY: '127.0.0.1',
  };
};

/** Takes the one file of the program out of the tarball, without its launcher. */
const fileAlone = async (tarball: string, place: string): Promise<string> => {
  await call('tar', ['-xzf', tarball, '-C', place, 'package/dist/sync-tool.js']);
  const file = join(place, 'alone.mjs');
  renameSync(join(place, 'package/dist/sync-tool.js'), file);
  return file;
};

/** Installs packages as npx does, and calls the tool there by npx once; resolves with its launcher. */
const installedBy = async (packages: readonly string[], place: string, env: NodeJS.ProcessEnv): Promise<string> => {
  await call('npm', ['install', '--no-save', '--prefix', place, ...packages], { cwd: place, env });
  await call('npx', ['--no', 'sync-tool', '--version'], { cwd: place, env });
  return join(place, 'node_modules/sync-tool/bin/sync-tool.mjs');
};

/** Sets up the tarball of the tool to be run on a Node: installed, or its one file alone. */
export const toolOn = async (
  t: ExecutionContext,
  { tarball, nodeTarball }: { readonly tarball: string; readonly nodeTarball: string | undefined },
  node: string,
  way: 'installed' | 'alone' = 'installed',
): Promise<PackedTool> => {
  const place = scratch(t, 'sync-tool-packed-');
  const folder = join(place, 'empty');
  mkdirSync(folder);
  const env = environment(place, node);
  const packages = [tarball, ...(nodeTarball === undefined ? [] : [nodeTarball])];
  // Once by npx, which unpacks all of it at each call; the other calls run what it has installed.
  const file = way === 'installed' ? await installedBy(packages, place, env) : await fileAlone(tarball, place);
  const [command, before] = ['node', [file]];
  const { stdout } = await call('node', ['--version'], { env });
  return {
    version: stdout.trim(),
    folder,
    async run(...args) {
      try {
        return { code: 0, ...(await call(command, [...before, ...args], { cwd: folder, env })) };
      } catch (error) {
        return error as Finished;
      }
    },
    async site() {
      const child = spawn(command, [...before, 'dev-site', '--port', '0'], { cwd: folder, env, detached: true });
      t.teardown(() => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
      });
      const listens = /listens on (http:\S+?);/;
      return (await untilPrinted('the simulated site listens', collect(child), listens, 60_000))[1] ?? '';
    },
  };
};
