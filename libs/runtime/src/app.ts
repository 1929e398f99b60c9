import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type Context as HonoContext, Hono } from 'hono';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Context } from './context.ts';
import { createRateLimitedLog } from './rate-limited-log.ts';

/** Members that the HTTP server adds to a request; absent when the app is called without a server. */
export interface ServerBindings {
  readonly incoming?: IncomingMessage;
}

/** The HTTP server's own request; undefined when the app is called without a server. */
export const incomingOf = (c: HonoContext): IncomingMessage | undefined => ((c.env ?? {}) as ServerBindings).incoming;

/** The body of a request as the server's own stream, which can be counted and stopped, and is cheaper than a web stream. */
export const bodyStreamOf = (c: HonoContext): Readable =>
  incomingOf(c) ?? Readable.from(c.req.raw.body ?? [], { objectMode: false });

const answerBody = (error: RelayError): object => ({
  detail: { code: error.code, error: error.code === 'internal' ? 'An unexpected error occurred' : error.message },
});

/**
 * Creates the Hono app that every service starts from: optional trailing slash, registered errors as `{"detail":{"code","error"}}` with
 * their status and Retry-After, 404 for unknown paths.
 */
export const baseApp = (context: Pick<Context, 'log' | 'clock'>): Hono => {
  const log = createRateLimitedLog(context);
  const app = new Hono({ strict: false });
  app.notFound((c) => c.json({ detail: { code: 'not_found', error: 'There is nothing at this path' } }, 404));
  app.onError((thrown, c) => {
    const error = toRelayError(thrown);
    if (error.code === 'internal')
      log.error(c.req.path, { err: thrown, path: c.req.path }, 'a request failed unexpectedly');
    if (error.retryAfterMs !== undefined) c.header('Retry-After', String(Math.ceil(error.retryAfterMs / 1000)));
    return c.json(answerBody(error), error.status as ContentfulStatusCode);
  });
  return app;
};

/** Adds `GET /livez` and `GET /readyz` to an app. */
export const addProbeRoutes = (app: Hono, health: Pick<Context['health'], 'live' | 'ready'>): Hono => {
  app.get('/livez', (c) => {
    const { ok, failing } = health.live();
    return c.json({ status: ok ? 'alive' : 'failing', failing }, ok ? 200 : 503);
  });
  app.get('/readyz', (c) => {
    const { ok, failing } = health.ready();
    return c.json({ status: ok ? 'ready' : 'not ready', failing }, ok ? 200 : 503);
  });
  return app;
};

/** Adds `GET /livez`, `GET /readyz` and `GET /metrics` to an app. They call nothing outside the process. */
export const addHealthRoutes = (app: Hono, { health, metrics }: Pick<Context, 'health' | 'metrics'>): Hono => {
  metrics.onScrape(() => metrics.set('relay_ready', health.ready().ok ? 1 : 0));
  addProbeRoutes(app, health);
  app.get('/metrics', async (c) => c.text(await metrics.render(), 200, { 'Content-Type': metrics.contentType }));
  return app;
};
