import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createHttpClient } from '@ranger-relay/http';
import { systemClock } from '@ranger-relay/runtime';
import type { ExecutionContext } from 'ava';
import { createInbound, type Inbound } from '../client.ts';
import type { InboundConfig } from '../config.ts';
import type { InboundFailure, InboundOutcome } from '../outcome.ts';
import type { InboundText } from '../text.ts';

/** One call as the vendor saw it. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a scripted vendor answers. */
export interface Reply {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const listen = async (t: ExecutionContext, server: Server): Promise<number> => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

const readAll = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
};

/** A vendor on loopback that answers every call alike and remembers the calls. */
export const answering = async (t: ExecutionContext, reply: Reply | ((response: ServerResponse) => void)) => {
  const calls: SeenCall[] = [];
  const server = createHttpServer((request, response) => {
    void readAll(request).then((body) => {
      calls.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      if (typeof reply === 'function') return reply(response);
      response.writeHead(reply.status, { ...reply.headers }).end(reply.body ?? '');
      return undefined;
    });
  });
  const port = await listen(t, server);
  return { port, calls, apiUrl: `http://127.0.0.1:${port}` };
};

/** A peer that answers byte by byte what the test wants. */
export const talking = async (t: ExecutionContext, onSocket: (socket: Socket) => void): Promise<string> =>
  `http://127.0.0.1:${await listen(t, createServer(onSocket))}`;

/** An address of loopback that nobody listens on. */
export const nobody = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
};

/** The client under test, which may reach loopback. */
export const inboundFor = (
  t: ExecutionContext,
  { timeoutMs = 5_000, allowedNetworks = ['127.0.0.0/8'] as readonly string[] } = {},
): Inbound => {
  const http = createHttpClient({ clock: systemClock, allowedNetworks, userAgent: 'test', upstream: 'vendor' });
  t.teardown(() => http.close());
  return createInbound({ http, timeoutMs });
};

export const device = '300434030000000';

/** An account at an address. */
export const account = (apiUrl: string, more: Partial<InboundConfig> = {}): InboundConfig => ({
  apiUrl,
  username: 'fieldteam',
  password: 'päss:wörd',
  ...more,
});

export const someText: InboundText = { text: 'Return to camp', sender: 'ops@site.org', timestamp: 1_749_033_310_000 };

/** Sends a text to a vendor that answers so. */
export const outcomeOf = async (
  t: ExecutionContext,
  reply: Reply | ((response: ServerResponse) => void),
): Promise<InboundOutcome> => {
  const { apiUrl } = await answering(t, reply);
  return inboundFor(t).sendText(account(apiUrl), someText, device);
};

/** Narrows to a failure. */
export const failureIn = (t: ExecutionContext, outcome: InboundOutcome): InboundFailure => {
  if (outcome.kind === 'accepted') {
    t.fail('the call was accepted');
    throw new Error('the call was accepted');
  }
  return outcome;
};
