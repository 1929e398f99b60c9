// @ts-expect-error the client publishes no types for its inner parts
import { KafkaJSConnectionError } from 'kafkajs/src/errors.js';
import type { Clock } from '@ranger-relay/runtime';

interface Line {
  rejectRequests(error: unknown): void;
  disconnect(): Promise<unknown>;
}

/** A broker by its connections. */
interface Lines {
  readonly connectionPool: { readonly pool: readonly Line[] };
}

const everyMs = 1_000;

/** Closes a broker's connections at once; the library would wait for the answers that do not come. */
const hangUp = ({ connectionPool }: Lines): void => {
  for (const line of connectionPool.pool) {
    line.rejectRequests(new KafkaJSConnectionError('the broker does not answer'));
    void line.disconnect();
  }
};

/**
 * Waits for something that a broker may take long to answer, and asks it something small beside, so that one that hangs is not waited for.
 * @param ask rejects when the broker does not answer in time
 */
export const whileAnswering = async <T>(
  broker: Lines,
  work: Promise<T>,
  ask: () => Promise<unknown>,
  clock: Clock,
): Promise<T> => {
  const ended = new AbortController();
  const asking = async (): Promise<never> => {
    for (;;) {
      await clock.sleep(everyMs, ended.signal);
      await ask();
    }
  };
  const asked = asking();
  asked.catch(() => {
    if (!ended.signal.aborted) hangUp(broker);
  });
  try {
    return await Promise.race([work, asked]);
  } finally {
    work.catch(() => undefined);
    ended.abort(new DOMException('the wait is over', 'AbortError'));
  }
};
