// @ts-expect-error the client publishes no types for its inner parts
import BrokerClass from 'kafkajs/src/broker/index.js';
// @ts-expect-error as above
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
// @ts-expect-error as above
import { KafkaJSConnectionError } from 'kafkajs/src/errors.js';
// @ts-expect-error as above
import Connection from 'kafkajs/src/network/connection.js';

/**
 * Brokers that do not answer are asked last. A broker that hangs keeps its connections, and takes new ones: for the library it stays as
 * good as any, and every question that could go to any broker waits for it in vain again and again.
 */

/** Since when an address has answered nothing, monotonic ms; every client of the process learns from every other. */
const silentSince = new Map<string, number>();

const fellSilent = (address: string): void => {
  if (!silentSince.has(address)) silentSince.set(address, performance.now());
};

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'KafkaJSRequestTimeoutError';

interface Line {
  readonly broker: string;
}

/** An answer ends the silence of a broker, a request without one begins it. */
const mendSend = (): void => {
  const prototype = Connection.prototype as { send: (this: Line, request: object) => Promise<unknown> };
  const { send } = prototype;
  prototype.send = async function (this: Line, request) {
    try {
      const answer = await send.call(this, request);
      silentSince.delete(this.broker);
      return answer;
    } catch (error) {
      if (isTimeout(error)) fellSilent(this.broker);
      throw error;
    }
  };
};

interface PooledBroker {
  readonly brokerAddress: string;
  readonly versions: unknown;
  isConnected(): boolean;
  connect(): Promise<void>;
  disconnect(): Promise<unknown>;
}

/**
 * A broker that accepts and does not answer counts as connected for ever after, though nothing can be asked of it; and only an error of the
 * connection makes the library go on to the next address.
 */
const mendHalfOpen = (): void => {
  const prototype = BrokerClass.prototype as { connect: (this: PooledBroker) => Promise<void> };
  const { connect } = prototype;
  prototype.connect = async function (this: PooledBroker) {
    try {
      await connect.call(this);
    } catch (error) {
      if (!this.versions) await this.disconnect().catch(() => undefined);
      fellSilent(this.brokerAddress);
      if (!isTimeout(error)) throw error;
      throw new KafkaJSConnectionError((error as Error).message, { broker: this.brokerAddress });
    }
  };
};

interface Pool {
  readonly brokers: Readonly<Record<string, PooledBroker>>;
  seedBroker: PooledBroker;
  connect(): Promise<void>;
  findBroker(of: { nodeId: string }): Promise<PooledBroker>;
}

/** Lower is better: brokers that answer, connected ones first; then those that have been silent for longest. */
const rankOf = (broker: PooledBroker): number =>
  silentSince.get(broker.brokerAddress) ?? (broker.isConnected() ? -2 : -1);

const mendChoice = (): void => {
  const prototype = BrokerPool.prototype as { findConnectedBroker: (this: Pool) => Promise<PooledBroker> };
  prototype.findConnectedBroker = async function (this: Pool) {
    const ranked = Object.entries(this.brokers)
      .map(([nodeId, broker]) => ({ nodeId, rank: rankOf(broker) }))
      .sort((a, b) => a.rank - b.rank);
    for (const { nodeId } of ranked)
      try {
        return await this.findBroker({ nodeId });
      } catch {
        // The next one is asked; with none of them there the addresses of the settings are.
      }
    await this.connect();
    return this.seedBroker;
  };
};

/** Makes the clients of this process prefer brokers that answer. */
export const mendSilent = (): void => {
  mendSend();
  mendHalfOpen();
  mendChoice();
};
