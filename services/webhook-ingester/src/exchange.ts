import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context as HonoContext } from 'hono';
import type { Caller } from './auth/authenticate.ts';
import type { IncomingBody } from './body/read-body.ts';

/** What the HTTP server adds to a request; absent when the app is called without one. */
export interface ServerBindings {
  readonly incoming?: IncomingMessage;
}

/** One webhook request, as its handling sees it. */
export interface Exchange extends Caller {
  /** The request of the HTTP server. */
  readonly incoming: IncomingMessage | undefined;
  /** Opens the body; at most once. */
  body(): IncomingBody;
  headers(): Readonly<Record<string, string | string[] | undefined>>;
}

const declaredLength = (header: (name: string) => string | undefined): number | undefined => {
  const length = header('content-length');
  return length === undefined || header('transfer-encoding') !== undefined ? undefined : Number(length);
};

/**
 * The request of a Hono context. The body is read from the server's own stream, where bytes can be counted and the reading stopped, without
 * the cost of a web stream.
 */
export const exchangeOf = (c: HonoContext): Exchange => {
  const { incoming } = (c.env ?? {}) as ServerBindings;
  const header = (name: string): string | undefined => c.req.header(name);
  return {
    incoming,
    header,
    query: (name) => c.req.query(name),
    peer: incoming?.socket.remoteAddress,
    body: () => ({
      stream: incoming ?? Readable.from(c.req.raw.body ?? [], { objectMode: false }),
      declared: declaredLength(header),
    }),
    headers: () => incoming?.headers ?? c.req.header(),
  };
};
