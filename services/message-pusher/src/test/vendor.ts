import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createInbound, type Inbound } from '@ranger-relay/device';
import { createHttpClient } from '@ranger-relay/http';
import { systemClock } from '@ranger-relay/runtime';
import type { ExecutionContext } from 'ava';

/** How a vendor on loopback ends one call whose text it has taken in. */
export type Ending = (response: ServerResponse, request: IncomingMessage) => void;

/** Ends a call with a status. */
export const answer =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Ending =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Ends a call with an error code of the vendor. */
export const coded = (status: number, code: number, headers: Readonly<Record<string, string>> = {}): Ending =>
  answer(status, JSON.stringify({ Code: code, Description: 'so it says', IMEI: null, Message: 'Error' }), headers);

export const endings = {
  accept: (response) => void response.end('{"count":1}'),
  hang: () => undefined,
  reset: (_, request) => void request.socket.resetAndDestroy(),
  refuse: (response) =>
    void response.writeHead(422).end('{"Code":4,"Description":"not in this account","IMEI":null,"Message":"Unknown"}'),
  throttle: (response) => void response.writeHead(429, { 'retry-after': '1' }).end('{"Code":2}'),
  half: (response) => {
    response.writeHead(500, { 'content-length': '100' }).write('{"Code"');
    setImmediate(() => response.destroy());
  },
  halfGood: (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"count"');
    setImmediate(() => response.destroy());
  },
  portal: (response) => void response.writeHead(502).end('<html>Bad gateway</html>'),
} as const satisfies Record<string, Ending>;

/** A vendor on a real port that takes texts in and ends their calls as told, in this order, then well; and the client to call it with. */
export const startVendor = async (t: ExecutionContext, plan: Ending[] = []) => {
  const texts: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { Messages } = JSON.parse(body) as { Messages?: { Recipients: string[] }[] };
      texts.push(Messages?.[0]?.Recipients.join() ?? 'pingback');
      (plan.shift() ?? endings.accept)(response, request);
    });
  });
  server.on('connection', (socket) => open.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const options = { clock: systemClock, allowedNetworks: ['127.0.0.0/8'], userAgent: 'test', upstream: 'vendor' };
  const http = createHttpClient(options);
  t.teardown(() => {
    http.close();
    for (const socket of open) socket.destroy();
    server.close();
  });
  const inboundWithin = (timeoutMs: number): Inbound => createInbound({ http, timeoutMs });
  return { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/IPCInbound`, texts, inboundWithin };
};
