// @ts-expect-error the client publishes no types for its inner parts
import BrokerClass from 'kafkajs/src/broker/index.js';
// @ts-expect-error as above
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
// @ts-expect-error as above
import { KafkaJSConnectionError } from 'kafkajs/src/errors.js';
// @ts-expect-error the client publishes no types for its inner parts
import Connection from 'kafkajs/src/network/connection.js';
// @ts-expect-error as above
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
// @ts-expect-error as above
import metadataRequests from 'kafkajs/src/protocol/requests/metadata/index.js';

/**
 * The adapter asks unresponsive brokers last. A broker that hangs keeps its connections and accepts new ones; the library does not distinguish
 * it from a healthy one, so that every request that any broker could answer would wait for it again and again.
 */

/** Since when an address has not answered, on the monotonic clock, ms; shared by all clients of the process. */
const unresponsiveSince = new Map<string, number>();

const becameUnresponsive = (address: string): void => {
  if (!unresponsiveSince.has(address)) unresponsiveSince.set(address, performance.now());
};

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'KafkaJSRequestTimeoutError';

interface Line {
  readonly broker: string;
}

/** Marks a broker as unresponsive when a request times out, and as responsive when it answers. */
const patchSend = (): void => {
  const prototype = Connection.prototype as { send: (this: Line, request: object) => Promise<unknown> };
  const { send } = prototype;
  prototype.send = async function (this: Line, request) {
    try {
      const answer = await send.call(this, request);
      unresponsiveSince.delete(this.broker);
      return answer;
    } catch (error) {
      if (isTimeout(error)) becameUnresponsive(this.broker);
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
 * The library counts a broker that accepts connections but does not answer as connected, and tries the next address
 * only after a connection error.
 */
const patchHalfOpen = (): void => {
  const prototype = BrokerClass.prototype as { connect: (this: PooledBroker) => Promise<void> };
  const { connect } = prototype;
  prototype.connect = async function (this: PooledBroker) {
    try {
      await connect.call(this);
    } catch (error) {
      if (!this.versions) await this.disconnect().catch(() => undefined);
      becameUnresponsive(this.brokerAddress);
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

/** Lower is better: responsive brokers, connected ones first; then the broker that has been unresponsive for longest. */
const rankOf = (broker: PooledBroker): number =>
  unresponsiveSince.get(broker.brokerAddress) ?? (broker.isConnected() ? -2 : -1);

const patchBrokerChoice = (): void => {
  const prototype = BrokerPool.prototype as { findConnectedBroker: (this: Pool) => Promise<PooledBroker> };
  prototype.findConnectedBroker = async function (this: Pool) {
    const ranked = Object.entries(this.brokers)
      .map(([nodeId, broker]) => ({ nodeId, rank: rankOf(broker) }))
      .sort((a, b) => a.rank - b.rank);
    for (const { nodeId } of ranked)
      try {
        return await this.findBroker({ nodeId });
      } catch {
        // Try the next broker; if none answers, connect to the configured addresses.
      }
    await this.connect();
    return this.seedBroker;
  };
};

/** Makes the clients of this process prefer responsive brokers. */
const patchUnresponsive = (): void => {
  patchSend();
  patchHalfOpen();
  patchBrokerChoice();
};

interface Queue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
}

/** The library re-arms a timer of 1 ms for each connection without end; this patch stops it while nothing waits to be sent. */
const patchIdleLoop = (): void => {
  const prototype = RequestQueue.prototype as { scheduleCheckPendingRequests: (this: Queue) => void };
  const arm = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: Queue) {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) arm.call(this);
  };
};

interface TimedQueue {
  readonly enforceRequestTimeout: boolean;
  readonly inflight: ReadonlyMap<number, TimedRequest>;
  readonly isConnected: () => boolean;
}

interface TimedRequest {
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

const timeoutCheckMs = 500;
const timedQueues = new Set<TimedQueue>();
let timeoutCheck: NodeJS.Timeout | undefined;

const endLateRequests = (): void => {
  for (const queue of timedQueues) {
    for (const request of queue.inflight.values())
      if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
    if (!queue.isConnected()) timedQueues.delete(queue);
  }
  if (timedQueues.size > 0) return;
  clearInterval(timeoutCheck);
  timeoutCheck = undefined;
};

/** The library looks for late requests ten times a second for each connection; twice a second for all connections together is enough. */
const patchTimeoutCheck = (): void => {
  const prototype = RequestQueue.prototype as {
    scheduleRequestTimeoutCheck: (this: TimedQueue) => void;
    destroy: (this: TimedQueue) => void;
  };
  prototype.scheduleRequestTimeoutCheck = function (this: TimedQueue) {
    if (!this.enforceRequestTimeout) return;
    timedQueues.add(this);
    timeoutCheck ??= setInterval(endLateRequests, timeoutCheckMs);
  };
  const { destroy } = prototype;
  prototype.destroy = function (this: TimedQueue) {
    timedQueues.delete(this);
    destroy.call(this);
  };
};

/** In the library, each request that finds a broken connection opens a socket of its own, and closing the surplus ones closes the good one. */
const patchConnect = (): void => {
  const prototype = Connection.prototype as { connect: (this: object) => Promise<unknown> };
  const { connect } = prototype;
  const connecting = new WeakMap<object, Promise<unknown>>();
  prototype.connect = function (this: object) {
    const open = connecting.get(this);
    if (open) return open;
    const made = connect.call(this).finally(() => connecting.delete(this));
    connecting.set(this, made);
    return made;
  };
};

interface Metadata {
  readonly topicMetadata: readonly { readonly partitionMetadata: readonly object[] }[];
}

interface Response {
  parse: (data: Metadata) => Promise<Metadata>;
}

interface Requests {
  readonly versions: readonly string[];
  readonly protocol: (of: { version: string }) => (request: object) => { readonly response: Response };
}

/** In the library, one partition without a leader fails the whole response and hides all other leaders. */
const patchMetadata = (): void => {
  const { versions, protocol } = metadataRequests as Requests;
  for (const version of versions) {
    const { response } = protocol({ version })({ topics: [] });
    const { parse } = response;
    response.parse = async (data) => {
      const topicMetadata = data.topicMetadata.map((topic) => ({
        ...topic,
        partitionMetadata: topic.partitionMetadata.map((partition) => ({ ...partition, partitionErrorCode: 0 })),
      }));
      return parse({ ...data, topicMetadata });
    };
  }
};

let isPatched = false;

/** Applies the patches once per process. */
export const applyKafkajsPatches = (): void => {
  if (isPatched) return;
  isPatched = true;
  patchIdleLoop();
  patchTimeoutCheck();
  patchConnect();
  patchUnresponsive();
  patchMetadata();
};
