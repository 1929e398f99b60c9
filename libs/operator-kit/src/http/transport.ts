import type { IncomingMessage } from 'node:http';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { type Clock, parseRetryAfter, within } from '@ranger-relay/runtime';
import type { Access, Credentials } from '../access/access.ts';
import { statusError } from '../api/status.ts';
import type { KubeRequest, KubeTransport } from '../api/transport.ts';
import { type Agents, broken, createAgents, exchange, limit, type Limited, targetOf } from './exchange.ts';

/** Maximum size of one response. */
const maxBytes = 64 * 1_048_576;

const unreadable = (request: KubeRequest, problem: string): RelayError =>
  new RelayError('kube_answer_unreadable', {
    details: { target: targetOf(request), problem },
    ambiguous: request.method !== 'GET',
  });

/**
 * Yields the chunks of a response as they arrive.
 * @throws RelayError `kube_unreachable` when the connection breaks; the signal's reason once it is aborted
 */
async function* chunksOf(request: KubeRequest, message: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of message) yield chunk as Uint8Array;
  } catch (error) {
    throw broken(request, error, true);
  }
}

/**
 * Reads the whole response as text.
 * @throws as `chunksOf`; RelayError `kube_answer_unreadable` when it is too long
 */
const readText = async (request: KubeRequest, message: IncomingMessage): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request, message)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw unreadable(request, `over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** @throws RelayError `kube_answer_unreadable` for text that is not JSON */
const parseJson = (request: KubeRequest, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unreadable(request, 'no JSON');
  }
};

export interface HttpTransportOptions {
  readonly access: Access;
  readonly clock: Clock;
  readonly userAgent: string;
}

const maxConnections = 16;
/** Timeout of a call with its response, and of the start of a stream, ms. */
const totalMs = 20_000;

const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

/** Maps an error response to an error; without a readable body, by its status alone. */
const failureOf = async (request: KubeRequest, message: IncomingMessage, clock: Clock): Promise<RelayError> => {
  const read = async (): Promise<unknown> => JSON.parse(await readText(request, message)) as unknown;
  const body = await read().catch(() => undefined);
  const retryAfterMs = parseRetryAfter(message.headers['retry-after'], clock);
  return statusError(targetOf(request), message.statusCode ?? 0, body, retryAfterMs);
};

async function* streamOf({ request, end }: Limited, message: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksOf(request, message);
  } finally {
    end();
  }
}

/** Waits for credentials no longer than for a response, because an exec plugin may never end. */
const credentialsFor = async (access: Access, clock: Clock, request: Limited['request']): Promise<Credentials> => {
  const { signal } = request;
  const late = (): never => {
    throw broken(request, undefined, false);
  };
  return within({ clock, ms: totalMs, signal }, access.credentials(), late).catch((error: unknown) => {
    throw error === signal.reason ? broken(request, error, false) : error;
  });
};

/** Creates the HTTP transport: calls share kept connections, each stream has its own connection. */
export const createHttpTransport = (options: HttpTransportOptions): KubeTransport => {
  const { access, clock, userAgent } = options;
  const forCalls = createAgents(true, maxConnections);
  const forStreams = createAgents(false, Infinity);

  const begin = async (request: Limited['request'], agents: Agents): Promise<IncomingMessage> => {
    const credentials = await credentialsFor(access, clock, request);
    const { server } = access;
    const message = await exchange(request, { server, credentials, agents, userAgent });
    if (isSuccess(message)) return message;
    const failure = await failureOf(request, message, clock);
    if (isRelayError(failure, 'kube_unauthorized')) access.refused();
    throw failure;
  };

  return {
    async call(request) {
      const limited = limit(request, clock, totalMs);
      try {
        return parseJson(request, await readText(limited.request, await begin(limited.request, forCalls)));
      } finally {
        limited.end();
      }
    },
    async open(request) {
      const limited = limit(request, clock, totalMs);
      try {
        const message = await begin(limited.request, forStreams);
        limited.inTime();
        message.socket.setKeepAlive(true, 15_000);
        return streamOf(limited, message);
      } catch (error) {
        limited.end();
        throw error;
      }
    },
    close() {
      for (const { http, https } of [forCalls, forStreams]) {
        http.destroy();
        https.destroy();
      }
    },
  };
};
