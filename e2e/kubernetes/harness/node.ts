import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { until } from '../../src/harness/until.ts';
import { call } from './call.ts';

/** The one-node Kubernetes of this machine. */
export interface KubernetesNode {
  /** Address of this machine that pods reach. */
  readonly host: string;
  /** Networks of the machine and of pods and Services, as the product takes them. */
  readonly networks: string;
  /** Environment in which kubectl and helm find it. */
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the definitions of other projects' kinds. */
  readonly definitions: string;
  /** Runs one of the scripts of the cluster. */
  script(name: string, ...args: readonly string[]): Promise<string>;
  /** Does what one run of the scenarios needs once, whichever file of them comes first. */
  once(name: string, work: () => Promise<void>): Promise<void>;
}

const folder = fileURLToPath(new URL('../cluster/', import.meta.url));

/** Where programs and state of the cluster lie; the scripts of the cluster say the same. */
const stateFolder = (): string => {
  const { RANGER_RELAY_CACHE, XDG_CACHE_HOME } = process.env;
  return join(RANGER_RELAY_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ranger-relay'), 'kubernetes');
};

/** A build from nothing on a slow machine, ms. */
const buildMs = 40 * 60_000;
const startMs = 5 * 60_000;

const environment = (state: string): NodeJS.ProcessEnv => {
  const helm = join(state, 'run/helm');
  return {
    PATH: [join(state, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: process.env['HOME'],
    KUBECONFIG: join(state, 'run/admin.kubeconfig'),
    // Short-lived programs, called hundreds of times: a third of their time went into collecting garbage.
    GOGC: '400',
    HELM_CACHE_HOME: join(helm, 'cache'),
    HELM_CONFIG_HOME: join(helm, 'config'),
    HELM_DATA_HOME: join(helm, 'data'),
  };
};

/** Runs a script; its last words are the failure's. */
const runScript = async (name: string, args: readonly string[], timeoutMs = startMs): Promise<string> => {
  // Whoever runs the scenarios owns the cluster: it ends with this process.
  const env = { ...process.env, OWNER: String(process.pid) };
  const { code, stdout, stderr } = await call(join(folder, name), args, { env, timeoutMs });
  if (code === 0) return stdout;
  throw new Error(stderr.trim() || `${name} ended with ${String(code)}: ${stdout.slice(-2_000)}`);
};

const onceMs = 10 * 60_000;

/** Does a work once, whichever thread of this process comes first; the others wait for its end. One that failed is tried by the next. */
const onceIn = async (folder: string, work: () => Promise<void>): Promise<void> => {
  const done = join(folder, 'done');
  const take = (): boolean => {
    try {
      mkdirSync(folder);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    }
  };
  while (!take()) {
    if (existsSync(done)) return;
    await until(`${folder} is done`, () => existsSync(done) || !existsSync(folder), onceMs, 200);
  }
  try {
    await work();
    writeFileSync(done, '');
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
};

const seconds = (from: number, to: number): string => ((to - from) / 1_000).toFixed(1);

/** What a file of scenarios needs of the cluster; programs that look over charts and alerts are built behind all else. */
export interface NodeOptions {
  readonly scanners?: boolean;
}

/**
 * Builds Kubernetes unless that is done, and starts it unless it runs; it ends with the run of the scenarios.
 * @throws a sentence that says what this machine lacks
 */
export const openNode = async (
  t: Pick<ExecutionContext, 'timeout' | 'log'>,
  { scanners = false }: NodeOptions = {},
): Promise<KubernetesNode> => {
  t.timeout(buildMs + startMs);
  const began = performance.now();
  await runScript(scanners ? 'scanners.sh' : 'build.sh', [], buildMs);
  const built = performance.now();
  await runScript('up.sh', []);
  t.log(`Kubernetes: built in ${seconds(began, built)} s, started in ${seconds(built, performance.now())} s`);
  return {
    host: '10.250.7.1',
    networks: '10.250.7.0/24,10.244.0.0/24,10.96.0.0/16',
    env: environment(stateFolder()),
    definitions: join(stateFolder(), 'crds'),
    script: (name, ...args) => runScript(name, args),
    once: (name, work) => onceIn(join(stateFolder(), 'run', `${name}.${process.pid}`), work),
  };
};

/** Builds Helm unless that is done, for tests that render charts: nothing is started. */
export const openTools = async (t: Pick<ExecutionContext, 'timeout'>): Promise<Pick<KubernetesNode, 'env'>> => {
  t.timeout(buildMs);
  await runScript('build.sh', ['helm'], buildMs);
  return { env: environment(stateFolder()) };
};
