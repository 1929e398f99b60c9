import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context as HonoContext } from 'hono';

/** Members that the HTTP server adds to a request; absent when the app is called without a server. */
export interface ServerBindings {
  readonly incoming?: IncomingMessage;
}

/** The HTTP server's own request; undefined when the app is called without a server. */
export const incomingOf = (c: HonoContext): IncomingMessage | undefined => ((c.env ?? {}) as ServerBindings).incoming;

/** The body of a request as the server's own stream, which can be counted and stopped, and is cheaper than a web stream. */
export const bodyStreamOf = (c: HonoContext): Readable =>
  incomingOf(c) ?? Readable.from(c.req.raw.body ?? [], { objectMode: false });
