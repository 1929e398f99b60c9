import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../product.ts';
import { makeBroker, type Broker } from './broker.ts';

export { saslUser } from './config.ts';
export type { Broker } from './broker.ts';

/** A running cluster of brokers. */
export interface KafkaCluster {
  readonly brokers: readonly Broker[];
  /** Value of KAFKA_BROKERS. */
  readonly addresses: string;
  /** Facts of the listeners with TLS, when asked for. */
  readonly secure: { readonly tls: string; readonly sasl: string; readonly caFile: string } | undefined;
  /** Ends every broker and removes what they kept. */
  remove(): Promise<void>;
}

/** Program to start. */
export interface KafkaOptions {
  /** Number of brokers; replication and minimum in sync follow from it. */
  readonly brokers?: 1 | 3;
  readonly secure?: boolean;
  /** Address of this machine that the brokers are reached at; 127.0.0.1 when left out. */
  readonly host?: string;
  /** Data directory, removed by its owner; a temporary one by default. */
  readonly dir?: string;
  /** More lines of each broker's properties. */
  readonly lines?: readonly string[];
  /** More flags of the Java runtime. */
  readonly java?: readonly string[];
}

/** Starts a cluster and waits until it is ready. */
export const startKafka = async (options: KafkaOptions = {}): Promise<KafkaCluster> => {
  const { brokers: count = 1, secure = false, host = '127.0.0.1', lines = [], java = [] } = options;
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'relay-kafka-'));
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const controllerPorts = await Promise.all(ids.map(() => freePort()));
  const voters = ids.map((id, index) => `${id}@127.0.0.1:${controllerPorts[index]}`);
  const folder = join(dir, 'tls');
  const brokers = await Promise.all(
    ids.map(async (id, index) =>
      makeBroker({
        dir: join(dir, String(id)),
        id,
        host,
        port: await freePort(host),
        controllerPort: controllerPorts[index] as number,
        voters,
        replication: count,
        minInSync: count === 1 ? 1 : 2,
        lines,
        java,
        ...(secure ? { secure: { tls: await freePort(host), sasl: await freePort(host), folder } } : {}),
      }),
    ),
  );
  const remove = async (): Promise<void> => {
    await Promise.all(brokers.map((broker) => broker.kill()));
    if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
  };
  try {
    await Promise.all(brokers.map((broker) => broker.start()));
  } catch (error) {
    await remove();
    throw error;
  }
  const ports = brokers[0]?.config.secure;
  return {
    brokers,
    addresses: brokers.map(({ address }) => address).join(','),
    secure: ports && {
      tls: `${host}:${ports.tls}`,
      sasl: `${host}:${ports.sasl}`,
      caFile: join(folder, 'ca.crt'),
    },
    remove,
  };
};
