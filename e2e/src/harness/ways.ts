import type { ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import type { ExecutionContext } from 'ava';
import { startCluster, type Cluster } from './cluster.ts';
import { installFor } from './installation.ts';
import { startKafka } from './kafka/index.ts';
import { run } from './product.ts';
import { startRedis } from './redis.ts';
import type { Target } from './traffic.ts';

/** A started product. */
export interface Running {
  /** The process that takes webhooks. */
  readonly child: ChildProcess;
  /** Ends all of its processes. */
  end(signal: NodeJS.Signals): Promise<unknown>;
}

/** An integration in `ranger-relay status --output json`. */
export interface IntegrationStatus {
  readonly id: string;
  readonly parked: number;
  readonly dead_letters: number;
}

/** The product in one of its forms, with a platform. */
export interface Product extends Target {
  /** A directory of the installation. */
  readonly dir: string;
  /** Variables of commands that look into it. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the forwarders show their metrics. */
  readonly forwarderUrls: readonly string[];
  /** Starts it; resolves when it takes webhooks and forwards. */
  up(more?: Readonly<Record<string, string>>): Promise<Running>;
  status(): Promise<readonly IntegrationStatus[]>;
}

/** One way to run the product. Everything ends with the test. */
export interface Way {
  readonly name: string;
  install(t: ExecutionContext, integrations: readonly string[]): Promise<Product>;
}

const statusOf = async (env: Product['env']): Promise<readonly IntegrationStatus[]> => {
  const { stdout, stderr, code } = await run(['status', '--output', 'json'], env);
  if (code !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { integrations: IntegrationStatus[] }).integrations;
};

/** Everything in one process on files. */
export const oneMachine: Way = {
  name: 'one machine',
  async install(t, integrations) {
    const here = await installFor(t, integrations);
    return {
      ...here,
      dir: dirname(here.dataDir),
      forwarderUrls: [`http://127.0.0.1:${here.env['FORWARDER_PORT'] ?? ''}`],
      status: () => statusOf(here.env),
    };
  },
};

let installed = 0;

const startServers = async () => {
  const [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
  return { kafka, redis };
};

let servers: ReturnType<typeof startServers> | undefined;

/** Ends the servers that installations of this file shared. */
export const endServers = async (): Promise<void> => {
  if (!servers) return;
  const { kafka, redis } = await servers;
  await redis.end();
  await kafka.remove();
};

const startServices = async ({ ingesters, forwarders }: Cluster, more: Readonly<Record<string, string>>) => {
  const replicas = [...ingesters, ...forwarders];
  await Promise.all(replicas.map((replica) => replica.start(more)));
  const [ingester] = ingesters;
  if (!ingester) throw new Error('no ingester');
  return {
    child: ingester.process().child,
    end: (signal: NodeJS.Signals) => Promise.all(replicas.map((replica) => replica.process().end(signal))),
  };
};

const services: Way = {
  name: 'services on Kafka and Redis',
  async install(t, integrations) {
    servers ??= startServers();
    const { kafka, redis } = await servers;
    await redis.ask('FLUSHALL');
    installed += 1;
    const shared = { kafka, redis, prefix: `i${installed}.` };
    const cluster = await startCluster(integrations, { shared, start: false });
    t.teardown(() => cluster.remove());
    return {
      ...cluster,
      forwarderUrls: cluster.forwarders.map(({ url }) => url),
      up: (more = {}) => startServices(cluster, more),
      status: () => statusOf(cluster.env),
    };
  },
};

/** Every way; scenarios run on each. */
export const ways: readonly Way[] = [oneMachine, services];
