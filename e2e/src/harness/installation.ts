import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Form } from './form.ts';
import { startPlatformProcess, type PlatformProcess } from './platform.ts';
import { freePorts, start, type Started } from './product.ts';
import { untilReady } from './ready.ts';

/** The product on one machine with a platform beside it: what a scenario drives from outside. */
export interface Installation {
  readonly dataDir: string;
  readonly platform: PlatformProcess;
  readonly env: Readonly<Record<string, string>>;
  readonly webhookUrl: string;
  readonly statusUrl: string;
  readonly token: string;
  /** Starts `up` on the same directory; resolves when ingester and forwarder are ready. */
  up(more?: Readonly<Record<string, string>>): Promise<Started>;
  /** Ends everything and removes the directory. */
  remove(): Promise<void>;
}

/** Token of every integration's webhook. */
export const webhookToken = 'e2e-webhook-token';

/** Writes the tokens of integrations into a folder; the variable that names the file. */
export const writeTokens = (
  folder: string,
  integrations: readonly string[],
): { readonly WEBHOOK_TOKENS_FILE: string } => {
  const file = join(folder, 'tokens.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(integrations.map((id) => [id, [webhookToken]]))));
  return { WEBHOOK_TOKENS_FILE: file };
};

/** Makes an installation: a data directory, tokens, ports and a platform simulator in a process of its own. */
export const install = async (integrations: readonly string[], form?: Form): Promise<Installation> => {
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-e2e-'));
  const platform = await startPlatformProcess({ integrations, stateDir: dir });
  const ports = await freePorts();
  const dataDir = join(dir, 'data');
  const env = {
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    ...ports,
    ...writeTokens(dir, integrations),
    HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...platform.env,
  };
  const running = new Set<Started>();

  return {
    dataDir,
    platform,
    env,
    token: webhookToken,
    webhookUrl: `http://127.0.0.1:${ports.INGESTER_PORT}/webhooks`,
    statusUrl: `http://127.0.0.1:${ports.STATUS_PORT}`,
    async up(more = {}) {
      const started = start(['up'], { ...env, ...more }, form);
      running.add(started);
      void started.exited.then(() => running.delete(started));
      const urls = [ports.INGESTER_PORT, ports.FORWARDER_PORT].map((port) => `http://127.0.0.1:${port}`);
      await untilReady('the product', started, urls);
      return started;
    },
    async remove() {
      for (const started of running) await started.end('SIGKILL');
      try {
        await platform.end();
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    },
  };
};

/** An installation that ends with the test. */
export const installFor = async (
  t: Pick<ExecutionContext, 'teardown'>,
  integrations: readonly string[],
): Promise<Installation> => {
  const here = await install(integrations);
  t.teardown(() => here.remove());
  return here;
};
