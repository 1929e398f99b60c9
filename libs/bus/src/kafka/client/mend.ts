// @ts-expect-error the client publishes no types for its inner parts
import Connection from 'kafkajs/src/network/connection.js';
// @ts-expect-error as above
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
// @ts-expect-error as above
import metadataRequests from 'kafkajs/src/protocol/requests/metadata/index.js';
import { mendSilent } from './silent.ts';

interface Queue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
}

/** Each connection of the client re-arms a timer of 1 ms for ever; this stops it while nothing waits to be sent. */
const mendIdleLoop = (): void => {
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

/** Each connection looks for late requests ten times a second, whether there are any or not; twice is enough, and for all at once. */
const mendTimeoutCheck = (): void => {
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

/** Requests that find a connection broken each open a socket of their own, and the end of the forgotten ones ends the good one. */
const mendConnect = (): void => {
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

/** One partition without a leader fails the whole answer, and hides the leaders of all others; here it only has none. */
const mendMetadata = (): void => {
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

let mended = false;

/** Mends what the library does wrong, once a process. */
export const mendLibrary = (): void => {
  if (mended) return;
  mended = true;
  mendIdleLoop();
  mendTimeoutCheck();
  mendConnect();
  mendSilent();
  mendMetadata();
};
