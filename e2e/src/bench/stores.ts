import { startKafka } from '../harness/kafka/index.ts';
import { run } from '../harness/product.ts';
import { startRedis } from '../harness/redis.ts';

/** Stores of a measured service. */
export interface Stores {
  /** Before the names of figures. */
  readonly title: string;
  /** Variables that lead there. */
  readonly env: Readonly<Record<string, string>>;
}

/** Files of this machine. */
export const files: Stores = { title: '', env: {} };

/** A broker and a Redis server of their own for a measurement. */
export const withCluster = async <T>(work: (stores: Stores) => Promise<T>): Promise<T> => {
  const [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
  const env = { KAFKA_BROKERS: kafka.addresses, ...redis.env };
  try {
    const { code, stderr } = await run(['topics', 'create'], env);
    if (code !== 0) throw new Error(stderr);
    return await work({ title: 'Kafka: ', env });
  } finally {
    await redis.end();
    await kafka.remove();
  }
};
