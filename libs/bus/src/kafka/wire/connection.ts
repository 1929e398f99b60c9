// @ts-expect-error the client publishes no types for its inner parts
import Encoder from 'kafkajs/src/protocol/encoder.js';
// @ts-expect-error the client publishes no types for its inner parts
import { createErrorFromCode } from 'kafkajs/src/protocol/error.js';
import type { Broker } from '../client/cluster.ts';

/** Protocol error codes that the adapter tells apart. */
export const codes = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopic: 3,
  messageTooLarge: 10,
  recordListTooLarge: 18,
} as const;

/** What the protocol says about a code: its name, its text, and whether trying again can help. */
interface CodeFacts {
  readonly type: string;
  readonly message: string;
  readonly retriable: boolean;
}

/** Facts of one error code. */
export const factsOf = (code: number): CodeFacts => {
  const { type, message, retriable } = createErrorFromCode(code) as CodeFacts;
  return { type, message, retriable };
};

interface Request<T> {
  readonly key: number;
  readonly version: number;
  readonly name: string;
  /** Body of the request. */
  readonly body: Buffer;
  readonly decode: (raw: Buffer) => Promise<T>;
  /** Longer than the client's own, when the broker may wait, ms. */
  readonly timeoutMs?: number;
}

interface Pool {
  send(request: unknown): Promise<unknown>;
}

/**
 * Sends one request to a connected broker. Unlike the library's own methods it does not throw for the error of one partition: the
 * answer says what became of each.
 */
export const exchange = <T>(broker: Broker, request: Request<T>): Promise<T> => {
  const { connectionPool } = broker as unknown as { connectionPool: Pool };
  return connectionPool.send({
    request: {
      apiKey: request.key,
      apiVersion: request.version,
      apiName: request.name,
      expectResponse: () => true,
      encode: async () => new Encoder(0).writeBuffer(request.body),
    },
    response: { decode: request.decode, parse: async (answer: T) => answer },
    requestTimeout: request.timeoutMs ?? null,
  }) as Promise<T>;
};
