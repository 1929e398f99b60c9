import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeReplica, startCluster, type Cluster, type Replica, type ReplicasOptions } from './cluster.ts';
import { checkCommands, openBus } from './records.ts';
import type { RunLine } from './runner-process/actions.ts';
import { postJson } from './traffic.ts';
import { until } from './until.ts';

/** One action runner. */
export interface Runner extends Replica {
  /** Calls it with the caller's token; how long the answer took, ms. */
  post(path: string, body: object): Promise<{ readonly status: number; readonly body: unknown; readonly ms: number }>;
  /** Runs an action while the caller waits. */
  execute(integration: string, action: string, overrides?: object): ReturnType<Runner['post']>;
}

/** Action runners on a real Kafka and a real Redis. */
export interface RunnerHarness {
  readonly cluster: Cluster;
  readonly runners: readonly Runner[];
  /** Every line that runs have left. */
  lines(): readonly RunLine[];
  /**
   * Publishes a command through any of the runners. Returns how often the response was lost: each time the command may be on the topic all
   * the same.
   */
  command(integration: string, action: string, overrides: object): Promise<number>;
  remove(): Promise<void>;
}

const slug = 'device_connector';
const token = 'e2e-caller-token';
const program = ['--conditions=@ranger-relay/source', 'e2e/src/harness/runner-process/main.ts'];

const makeRunner = async (env: Readonly<Record<string, string>>): Promise<Runner> => {
  const replica = await makeReplica('action-runner', program, env);
  const post: Runner['post'] = async (path, body) => {
    const from = performance.now();
    const answer = await postJson(replica.url + path, token, body);
    return { status: answer.status, body: await answer.json(), ms: performance.now() - from };
  };
  const execute: Runner['execute'] = (integration_id, action_id, config_overrides = {}) =>
    post('/v1/actions/execute', { integration_id, action_id, config_overrides });
  return { ...replica, post, execute };
};

const linesIn = (file: string): readonly RunLine[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as RunLine)
    : [];

/** Nothing was sent: no server listens there. */
const isRefused = (error: unknown): boolean =>
  error instanceof TypeError && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED';

const commandThrough = (runners: readonly Runner[]): RunnerHarness['command'] => {
  let turn = 0;
  return async (integration, action, overrides) => {
    const body = {
      integration_id: integration,
      action_id: action,
      run_in_background: true,
      config_overrides: overrides,
    };
    let lost = 0;
    await until('a command is taken', async () => {
      const runner = runners[(turn += 1) % runners.length];
      const url = `${runner?.url}/v1/actions/execute`;
      const answer = await postJson(url, token, body, 10_000).catch((error: unknown) => {
        lost += isRefused(error) ? 0 : 1;
        throw error;
      });
      // Unavailable: its publishing may have come through behind the answer.
      if (answer.status >= 500) lost += 1;
      return answer.status === 200;
    });
    return lost;
  };
};

/** Starts brokers, Redis and the platform's simulator, then the runners, and waits until all are ready. */
export const startRunners = async ({ integrations, replicas, env = {} }: ReplicasOptions): Promise<RunnerHarness> => {
  const cluster = await startCluster(integrations, { start: false, ingesters: 0, forwarders: 0 });
  const file = join(cluster.dir, 'runs.jsonl');
  const all = { ...cluster.env, INTEGRATION_TYPE_SLUG: slug, AUTH_TOKEN: token, RUN_FILE: file, ...env };
  const runners: Runner[] = [];
  const remove = async (): Promise<void> => {
    await Promise.all(runners.filter((runner) => runner.running()).map((runner) => runner.kill()));
    const bus = openBus(cluster.env, slug);
    try {
      await checkCommands(bus, slug);
    } finally {
      await bus.close();
      await cluster.remove();
    }
  };
  const configurations = { tick: { run_on_schedule: true }, work: {} };
  try {
    for (const id of integrations) await cluster.platform.control('POST', `integrations/${id}`, { configurations });
    for (let n = 0; n < replicas; n += 1) runners.push(await makeRunner(all));
    await Promise.all(runners.map((runner) => runner.start()));
  } catch (error) {
    await remove();
    throw error;
  }
  return { cluster, runners, lines: () => linesIn(file), command: commandThrough(runners), remove };
};
