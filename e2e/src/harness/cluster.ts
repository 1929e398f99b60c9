import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, serviceProgram, type Form } from './form.ts';
import { webhookToken, writeTokens } from './installation.ts';
import { startKafka, type KafkaCluster, type KafkaOptions } from './kafka/index.ts';
import { startPlatformProcess, type PlatformProcess } from './platform.ts';
import { freePort, run, startNode, type Finished, type Started } from './product.ts';
import { isReady, untilReady } from './ready.ts';
import { checkEntries } from './records.ts';
import { startRedis, type RedisServer } from './redis.ts';
import { until } from './until.ts';

type Variables = Readonly<Record<string, string>>;

/** The services that a cluster runs. */
export type ServiceName = 'webhook-ingester' | 'observation-forwarder' | 'message-pusher' | 'action-runner';

/** One process of one service, on a port of its own that it keeps over restarts. */
export interface Replica {
  readonly service: ServiceName;
  readonly url: string;
  /** Resolves when it is ready. */
  start(more?: Variables): Promise<void>;
  /** Starts it without waiting. */
  launch(more?: Variables): Started;
  process(): Started;
  running(): boolean;
  /** SIGTERM, and waits for the end; answers the exit code. */
  stop(): Promise<number | null>;
  /** `kill -9`. */
  kill(): Promise<void>;
  ready(): Promise<boolean>;
}

/** How many replicas of a service to start beside a cluster, and their variables. */
export interface ReplicasOptions {
  readonly integrations: readonly string[];
  readonly replicas: number;
  readonly env?: Variables;
}

/** Program to start. */
export interface ClusterOptions {
  readonly ingesters?: number;
  readonly forwarders?: number;
  readonly kafka?: KafkaOptions;
  /** Servers that others use too, which then stay; the installation keeps to itself by a prefix. */
  readonly shared?: { readonly kafka: KafkaCluster; readonly redis: RedisServer; readonly prefix: string };
  /** False leaves the services for later. */
  readonly start?: boolean;
  /** Variables of every service. */
  readonly env?: Variables;
  /** Bundles with the flags of an image, or the sources; the usual when left out. */
  readonly form?: Form;
  /** Command line before the main file of a service, as `--import`. */
  readonly nodeArgs?: readonly string[];
}

/** The product as separate processes on a real Kafka and a real Redis, with a platform beside it. */
export interface Cluster {
  readonly dir: string;
  readonly kafka: KafkaCluster;
  readonly redis: RedisServer;
  readonly platform: PlatformProcess;
  readonly token: string;
  readonly ingesters: readonly Replica[];
  readonly forwarders: readonly Replica[];
  /** Webhook of the first ingester, and of all. */
  readonly webhookUrl: string;
  readonly webhookUrls: readonly string[];
  /** Variables of a service, and of commands that look into the cluster. */
  readonly env: Variables;
  /** Makes one more replica, not started. */
  add(service: ServiceName, nodeArgs?: readonly string[]): Promise<Replica>;
  /** Runs `ranger-relay <args>` on this cluster. */
  relay(...args: readonly string[]): Promise<Finished>;
  /** Ends everything and removes what it kept. */
  remove(): Promise<void>;
}

const sessionTimeoutMs = '3000';
const topicsMs = 30_000;

/** Makes a replica that Node starts with these arguments. */
export const makeReplica = async (service: ServiceName, args: readonly string[], env: Variables): Promise<Replica> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let started: Started | undefined;

  const process = (): Started => {
    if (!started) throw new Error(`${service} was not started`);
    return started;
  };
  const running = (): boolean => started?.child.exitCode === null && started.child.signalCode === null;
  const launch = (more: Variables = {}): Started => {
    started = startNode(args, { ...env, PORT: String(port), ...more });
    return started;
  };

  return {
    service,
    url,
    launch,
    start: async (more) => untilReady(service, launch(more), [url]),
    process,
    running,
    stop: () => process().end('SIGTERM'),
    async kill() {
      await process().end('SIGKILL');
    },
    ready: () => isReady(url),
  };
};

/** Starts broker(s), Redis, the platform's simulator and the services, and waits until all are ready. */
export const startCluster = async (integrations: readonly string[], options: ClusterOptions = {}): Promise<Cluster> => {
  const { ingesters: ingesterCount = 1, forwarders: forwarderCount = 1, nodeArgs = [] } = options;
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-cluster-'));
  const tokens = writeTokens(dir, integrations);
  const { shared } = options;
  const starting = [
    shared ? Promise.resolve(shared.kafka) : startKafka(options.kafka),
    shared ? Promise.resolve(shared.redis) : startRedis(),
    startPlatformProcess({ integrations, stateDir: dir }),
  ] as const;
  const [kafka, redis, platform] = await Promise.all(starting).catch(async (error: unknown) => {
    // A process that started although another failed would keep the file of scenarios from ending.
    const [brokers, store, outside] = starting;
    const ends = shared ? [] : [brokers.then((each) => each.remove()), store.then((each) => each.end())];
    await Promise.allSettled([...ends, outside.then((each) => each.end())]);
    throw error;
  });
  const env: Variables = {
    HOST: '127.0.0.1',
    HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...tokens,
    KAFKA_BROKERS: kafka.addresses,
    KAFKA_SESSION_TIMEOUT_MS: sessionTimeoutMs,
    ...(shared ? { KAFKA_PREFIX: shared.prefix } : {}),
    ...redis.env,
    ...platform.env,
    ...options.env,
  };
  const relay = (...args: readonly string[]): Promise<Finished> => run(args, env);
  const replicas: Replica[] = [];
  const add = async (service: ServiceName, args: readonly string[] = nodeArgs): Promise<Replica> => {
    const replica = await makeReplica(service, commandOf(serviceProgram(service), options.form, args), env);
    replicas.push(replica);
    return replica;
  };
  const of = (service: ServiceName): Replica[] => replicas.filter((replica) => replica.service === service);
  const remove = async (): Promise<void> => {
    await Promise.all(replicas.filter((replica) => replica.running()).map((replica) => replica.kill()));
    try {
      await checkEntries(env).finally(() => platform.end());
    } finally {
      if (!shared) await Promise.all([redis.end(), kafka.remove()]);
      rmSync(dir, { recursive: true, force: true });
    }
  };
  /** Brokers say that they have started before all of them may hold replicas. */
  const createTopics = async (): Promise<boolean> => {
    const { code, stderr } = await relay('topics', 'create');
    if (code !== 0) throw new Error(stderr);
    return true;
  };
  const start = async (): Promise<void> => {
    await until('the topics are created', createTopics, topicsMs);
    for (let n = 0; n < ingesterCount; n += 1) await add('webhook-ingester');
    for (let n = 0; n < forwarderCount; n += 1) await add('observation-forwarder');
    if (options.start !== false) await Promise.all(replicas.map((replica) => replica.start()));
  };
  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  const webhookUrls = of('webhook-ingester').map(({ url }) => `${url}/webhooks`);

  return {
    dir,
    kafka,
    redis,
    platform,
    token: webhookToken,
    ingesters: of('webhook-ingester'),
    forwarders: of('observation-forwarder'),
    webhookUrl: webhookUrls[0] ?? '',
    webhookUrls,
    env,
    add,
    relay,
    remove,
  };
};
