import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger, manualClock, type ManualClock } from '@ranger-relay/runtime/testing';
import type { ExecutionContext } from 'ava';
import type { Site } from '../port.ts';
import { openSite, type SiteOptions } from '../site.ts';
import type { SiteWait } from '../client/pacer.ts';

/** A request as it came. */
export interface Asked {
  readonly method: string;
  /** Below `/api/v1.0/`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** Does with a request what the test wants. */
export type Answer = (response: ServerResponse, asked: Asked) => void;

/** A real server on loopback, and a client of it whose clock moves on by itself as soon as it waits. */
export interface FakeSite {
  readonly site: Site;
  readonly port: number;
  readonly asked: Asked[];
  readonly waits: SiteWait[];
  readonly clock: ManualClock;
}

export const canary = 't0k3n-c4n4ry';

/** JSON in the site's envelope. */
export const data =
  (payload: unknown, status = 200): Answer =>
  (response) => {
    const body = { data: payload, status: { code: status, message: 'OK' } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

/** Any status with a JSON value or a text. */
export const plain =
  (status: number, body: unknown = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

export const html502 = plain(502, '<html><h1>Bad gateway</h1></html>', { 'content-type': 'text/html' });

/** Ends the connection without an answer. */
export const cut: Answer = (response) => void response.destroy();

/** A page of a list, in the envelope. */
export const page = (results: readonly unknown[], next: string | null = null, count = results.length): Answer =>
  data({ count, next, previous: null, results });

const read = async (request: IncomingMessage): Promise<Asked> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const url = new URL(request.url ?? '', 'http://site');
  return {
    method: request.method ?? '',
    path: url.pathname.replace('/api/v1.0/', ''),
    query: url.searchParams,
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
};

/** Starts a site that answers the requests in turn; the last answer is given from then on. */
export const fakeSite = async (
  t: ExecutionContext,
  answers: Answer | readonly Answer[],
  options: Partial<SiteOptions> = {},
): Promise<FakeSite> => {
  const [asked, waits, clock]: [Asked[], SiteWait[], ManualClock] = [[], [], manualClock()];
  const list = typeof answers === 'function' ? [answers] : answers;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = await read(request);
    asked.push(one);
    (list[asked.length - 1] ?? list.at(-1))?.(response, one);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const site = openSite({
    address: `http://127.0.0.1:${port}`,
    token: canary,
    clock,
    log: silentLogger(),
    userAgent: 'test/1.0',
    onWait(wait) {
      waits.push(wait);
      setImmediate(() => void clock.advance(wait.waitMs));
    },
    ...options,
  });
  t.teardown(() => {
    site.close();
    server.closeAllConnections();
    server.close();
  });
  return { site, port, asked, waits, clock };
};

/** `METHOD path` of what was asked. */
export const calls = (asked: readonly Asked[]): string[] => asked.map(({ method, path }) => `${method} ${path}`);
