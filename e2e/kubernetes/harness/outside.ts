import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulatorClock, startVendorInbound, type InboundSimulator } from '@ranger-relay/simulators';
import { startKafka, type KafkaCluster, type KafkaOptions } from '../../src/harness/kafka/index.ts';
import { startPlatformProcess, type PlatformProcess } from '../../src/harness/platform.ts';
import { startRedis, type RedisOptions, type RedisServer } from '../../src/harness/redis.ts';
import type { KubernetesNode } from './node.ts';

/** What stands outside the cluster, on this machine: a broker, a store, the platform, and where the vendor takes texts. */
export interface Outside {
  readonly host: string;
  readonly kafka: KafkaCluster;
  readonly redis: RedisServer;
  readonly platform: PlatformProcess;
  readonly vendor: InboundSimulator;
  end(): Promise<void>;
}

/** How broker and store are started. */
export interface OutsideOptions {
  readonly kafka?: KafkaOptions;
  readonly redis?: RedisOptions;
}

/** Account of every integration at the vendor. */
const account = { username: 'fieldteam', password: 'e2e-p4ssword' };

type Harness = Pick<Outside, 'platform' | 'vendor' | 'end'>;

/** Starts platform and vendor at the address that pods reach. Every integration is set up in the portal. */
export const startHarness = async (
  { host }: Pick<KubernetesNode, 'host'>,
  integrations: readonly string[],
): Promise<Harness> => {
  const stateDir = mkdtempSync(join(tmpdir(), 'ranger-relay-outside-'));
  const starting = [
    startPlatformProcess({ host, integrations, stateDir }),
    startVendorInbound({ host, port: 0, clock: simulatorClock, ...account, devices: ['300434030000001'] }),
  ] as const;
  const end = async (): Promise<void> => {
    const [platform, vendor] = starting;
    await Promise.allSettled([platform.then((each) => each.end()), vendor.then((each) => each.close())]);
    rmSync(stateDir, { recursive: true, force: true });
  };
  try {
    const [platform, vendor] = await Promise.all(starting);
    const configurations = { auth: { api_url: vendor.url, ...account }, push_messages: {} };
    for (const id of integrations) await platform.control('POST', `integrations/${id}`, { configurations });
    return { platform, vendor, end };
  } catch (error) {
    await end();
    throw error;
  }
};

/** Starts all of it. */
export const startOutside = async (
  node: Pick<KubernetesNode, 'host'>,
  integrations: readonly string[],
  options: OutsideOptions = {},
): Promise<Outside> => {
  const { host } = node;
  const starting = [
    startKafka({ host, ...options.kafka }),
    startRedis({ host, ...options.redis }),
    startHarness(node, integrations),
  ] as const;
  const end = async (): Promise<void> => {
    const [kafka, redis, harness] = starting;
    const ends = [
      kafka.then((each) => each.remove()),
      redis.then((each) => each.end()),
      harness.then((each) => each.end()),
    ];
    await Promise.allSettled(ends);
  };
  try {
    const [kafka, redis, { platform, vendor }] = await Promise.all(starting);
    return { host, kafka, redis, platform, vendor, end };
  } catch (error) {
    await end();
    throw error;
  }
};

/** A Service of the cluster that leads to a port of this machine. */
export const serviceTo = (name: string, host: string, port: number, targetPort: number): readonly object[] => [
  { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ name: 'main', port, targetPort }] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-outside`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'main', port: targetPort }],
    endpoints: [{ addresses: [host] }],
  },
];

/** `kafka:9092` and `redis:6379` in a namespace, as the documents name them. */
export const servicesTo = ({ host, kafka, redis }: Outside): readonly object[] => [
  ...serviceTo('kafka', host, 9092, kafka.brokers[0]?.config.port ?? 0),
  ...serviceTo('redis', host, 6379, redis.port),
];
