import type { IncomingMessage } from 'node:http';
import { bodyStreamOf, incomingOf } from '@ranger-relay/runtime';
import type { Context as HonoContext } from 'hono';
import type { Caller } from './auth/authenticate.ts';
import type { IncomingBody } from './body/read-body.ts';

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

/** The request of a Hono context. */
export const exchangeOf = (c: HonoContext): Exchange => {
  const incoming = incomingOf(c);
  const header = (name: string): string | undefined => c.req.header(name);
  return {
    incoming,
    header,
    query: (name) => c.req.query(name),
    peer: incoming?.socket.remoteAddress,
    body: () => ({ stream: bodyStreamOf(c), declared: declaredLength(header) }),
    headers: () => incoming?.headers ?? c.req.header(),
  };
};
