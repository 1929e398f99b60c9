import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { freePorts, start, type Started } from './product.ts';
import { untilPrinted } from './ready.ts';

/** The product as a person starts it who has configured no platform. */
export interface Trial {
  readonly env: Readonly<Record<string, string>>;
  /** Address of the status page. */
  readonly url: string;
  /** Starts `up`; resolves when it has printed the lines to try. */
  up(): Promise<Started>;
}

/** `up` on a directory and ports of its own; it ends with the test. */
export const openTrial = async (
  t: Pick<ExecutionContext, 'teardown'>,
  more: Readonly<Record<string, string>> = {},
  withinMs = 60_000,
): Promise<Trial> => {
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-trial-'));
  const ports = await freePorts();
  const env = { DATA_DIR: join(dir, 'data'), ...ports, ...more };
  let latest: Started | undefined;
  t.teardown(async () => {
    await latest?.end('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    env,
    url: `http://127.0.0.1:${ports.STATUS_PORT}`,
    async up() {
      const started = start(['up'], env);
      latest = started;
      await untilPrinted('the lines to try are printed', started, /kill -9 \d+/, withinMs);
      return started;
    },
  };
};

/** The lines to try with curl that `up` has printed. */
export const curlLines = ({ output }: Pick<Started, 'output'>): readonly string[] =>
  output()
    .split('\n')
    .filter((line) => line.trim().startsWith('curl '));

/** Whether a process is there. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Waits until a launcher of `up` has printed the lines to try; the process of `up`, which ends with the test. */
export const untilRunning = async (
  t: Pick<ExecutionContext, 'teardown'>,
  launcher: Started,
  withinMs = 60_000,
): Promise<number> => {
  const [, pid] = await untilPrinted('the lines to try are printed', launcher, /kill -9 (\d+)/, withinMs);
  t.teardown(() => {
    if (isAlive(Number(pid))) process.kill(Number(pid), 'SIGKILL');
  });
  return Number(pid);
};

/** The integration of the simulated site, from a line to try. */
export const siteOf = ({ output }: Started): string =>
  /"integration_id":"([\w-]+)","action_id":"pull_observations"/.exec(output())?.[1] ?? '';
