import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '@ranger-relay/runtime';
import type { ExecutionContext } from 'ava';
import { createHttpClient, type HttpClientOptions } from '../client.ts';
import { createRecorder, type Responder, type TestServer } from './responder.ts';

/** Listens on loopback until the test ends; returns the port. */
export const listen = async (t: ExecutionContext, server: Server): Promise<number> => {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
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

/** A real HTTP server on loopback, with TLS when its certificate is given; returns its port. */
export const serveHttp = (t: ExecutionContext, listener: RequestListener, tls?: ServerOptions): Promise<number> =>
  listen(t, tls ? createHttpsServer(tls, listener) : createHttpServer(listener));

/** Answers over real connections as `mockServer` does without any. `Response.error()` resets the connection. */
export const loopbackServer = async (
  t: ExecutionContext,
  responders: Responder | readonly Responder[],
): Promise<TestServer> => {
  const { requests, respond } = createRecorder(responders);
  const port = await serveHttp(t, async (incoming, outgoing) => {
    const { method = '', headers } = incoming;
    const body = await text(incoming).catch(() => undefined);
    if (body === undefined) return undefined;
    const url = `http://${headers.host}${incoming.url}`;
    const response = await respond(method, url, Object.entries(headers), body);
    if (response.type === 'error') return incoming.socket.resetAndDestroy();
    // The client may have gone away by now.
    outgoing.on('error', () => undefined).writeHead(response.status, [...response.headers].flat());
    try {
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    } catch {
      setImmediate(() => outgoing.destroy());
    }
    return undefined;
  });
  return { origin: `http://127.0.0.1:${port}`, port, requests };
};

/** A real TCP server on loopback that answers what the test wants, byte by byte. */
export const serveTcp = (t: ExecutionContext, onSocket: (socket: Socket) => void): Promise<number> =>
  listen(t, createServer(onSocket));

/** A port of loopback that nobody listens on. */
export const unusedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** A client that may reach loopback; it is closed after the test. */
export const clientFor = (t: ExecutionContext, options: Partial<HttpClientOptions> = {}) => {
  const client = createHttpClient({
    clock: systemClock,
    allowedNetworks: ['127.0.0.0/8'],
    userAgent: 'ranger-relay/test',
    upstream: 'test',
    connectMs: 2_000,
    totalMs: 5_000,
    ...options,
  });
  t.teardown(() => client.close());
  return client;
};
