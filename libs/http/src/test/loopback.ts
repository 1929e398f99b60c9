import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { systemClock } from '@ranger-relay/runtime';
import type { ExecutionContext } from 'ava';
import { createHttpClient, type HttpClientOptions } from '../client.ts';

const listen = async (t: ExecutionContext, server: Server, open: Set<Socket>): Promise<number> => {
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

/** A real HTTP server on loopback; answers its port. */
export const serveHttp = (t: ExecutionContext, listener: RequestListener): Promise<number> =>
  listen(t, createHttpServer(listener), new Set());

/** A real TCP server on loopback that answers what the test wants, byte by byte. */
export const serveTcp = (t: ExecutionContext, onSocket: (socket: Socket) => void): Promise<number> =>
  listen(t, createServer(onSocket), new Set());

/** A port of loopback that nobody listens on. */
export const deadPort = async (): Promise<number> => {
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
