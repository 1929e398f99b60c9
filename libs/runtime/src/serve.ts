import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { RelayError } from '@ranger-relay/errors';
import { Hono } from 'hono';
import { addHealthRoutes, addProbeRoutes, baseApp } from './app.ts';
import type { Clock } from './clock.ts';
import { runProbe } from './conditions/table.ts';
import type { Context } from './context.ts';

/** The ports of a service. */
export interface ListenConfig {
  readonly HOST: string;
  readonly PORT: number;
  /** When set, health and metrics use this port instead of the service's own. */
  readonly HEALTH_PORT: number | undefined;
}

/**
 * Serves a service's app with its health routes, on a second port when one is set. At shutdown the process first becomes not ready, then
 * requests in progress finish. Returns the port of the app.
 * @throws RelayError `config_invalid` naming the port's variable when the server cannot listen on it
 */
export const serveService = async (
  context: Context,
  app: Hono,
  config: ListenConfig,
  portVariable = 'PORT',
): Promise<number> => {
  const { lifecycle, clock, health, metrics } = context;
  metrics.set('relay_component_info', 1, { component: context.service });
  const { HOST: host, PORT: port, HEALTH_PORT: healthPort } = config;
  if (healthPort === undefined) addHealthRoutes(app, context);
  else {
    const healthApp = addHealthRoutes(baseApp(context), context);
    const serving = await context.serve(healthApp, {
      host,
      port: healthPort,
      portVariable: 'HEALTH_PORT',
      clock,
      leaving: health.draining,
    });
    lifecycle.onStop('health server', () => serving.close(1_000));
  }
  const serving = await context.serve(app, { host, port, portVariable, clock, leaving: health.draining });
  watchReadiness(context);
  lifecycle.onStop('server', () => serving.close());
  lifecycle.onStop('not ready', () => health.drain());
  return serving.port;
};

const readinessEveryMs = 5_000;
/** Joining the groups of the bus takes a while; a service that was ready before has no such excuse, ms. */
const startMs = 30_000;

/** Sets `service_not_ready` while the readiness checks fail; a service that drains is leaving on purpose. */
const watchReadiness = ({ service, clock, conditions, health, lifecycle }: Context): void => {
  const began = clock.monotonic();
  let wasReady = false;
  const stop = runProbe(
    { clock, conditions },
    {
      name: 'service_not_ready',
      subject: service,
      everyMs: readinessEveryMs,
      ask() {
        const { ok, failing } = health.ready();
        wasReady ||= ok;
        if (ok || health.draining()) return null;
        return wasReady || clock.monotonic() - began >= startMs ? { reason: failing.join(', ') } : undefined;
      },
    },
  );
  lifecycle.onStop('readiness', () => void stop());
};

/** A listening HTTP server. */
export interface Serving {
  readonly port: number;
  readonly server: Server;
  /** Stops accepting connections, lets requests in progress finish until the deadline, then closes them. */
  close(deadlineMs?: number): Promise<void>;
}

/** Serves an app on a port. @throws RelayError `config_invalid` naming the port's variable when it cannot listen */
export type Serve = (app: Hono, options: ServeOptions) => Promise<Pick<Serving, 'port' | 'close'>>;

/** Where a server listens. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Name of the variable that holds the port, for the error when the port is in use. */
  readonly portVariable: string;
}

/** The options of a server. */
export interface ServeOptions extends ListenOptions {
  readonly clock: Clock;
  /** Returns true once clients should leave: each response then closes its connection. */
  readonly leaving?: () => boolean;
  /** Time limit from the first byte of a request to its last, ms. */
  readonly requestTimeoutMs?: number;
}

/**
 * A port that is held before there is an app. Until then, the process is alive and not ready, and other requests are answered 503: a start may
 * wait for stores that are away, and a process that is killed meanwhile would never start.
 */
export interface Listener extends ListenOptions {
  /** Serves an app on it. */
  serve(app: Hono, options: Pick<ServeOptions, 'clock' | 'leaving' | 'requestTimeoutMs'>): Serving;
  /** Gives the port back; for one without an app. */
  release(): Promise<void>;
}

const listenOn = (server: Server, { host, port, portVariable }: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const problem = `is ${port}, and listening on ${host} failed (${error.code ?? error.message})`;
      reject(new RelayError('config_invalid', { details: { variable: portVariable, problem }, cause: error }));
    });
    // Without a host, Node listens on IPv4 and IPv6, and on IPv4 alone where IPv6 is unavailable.
    server.listen({ port, ...(host === '::' ? {} : { host }) }, resolve);
  });

/** Resolves after pending input is read: a connection with an unread request would otherwise count as idle. */
const afterReading = (work: () => void): unknown => setImmediate(() => setImmediate(work));

const drain = (server: Server, clock: Clock, deadlineMs: number): Promise<void> =>
  new Promise((resolve) => {
    let done = false;
    const sweep = (): void => {
      if (done) return;
      server.closeIdleConnections();
      clock.after(100, () => afterReading(sweep), true);
    };
    const cut = clock.after(deadlineMs, () => server.closeAllConnections(), true);
    const ended = (): void => {
      done = true;
      cut.cancel();
      resolve();
    };
    afterReading(() => {
      server.close(ended);
      sweep();
    });
  });

/**
 * Invites a body that waits for `100 Continue` only when the app begins to read it, so that a refused caller never sends it. A connection whose
 * body was not invited cannot carry another request.
 */
const inviteBodies = (server: Server, leaving: () => boolean): void => {
  server.on('checkContinue', (incoming: IncomingMessage, answer: ServerResponse) => {
    const { shouldKeepAlive } = answer;
    answer.shouldKeepAlive = false;
    incoming.once('resume', () => {
      if (answer.headersSent) return;
      answer.shouldKeepAlive = shouldKeepAlive && !leaving();
      answer.writeContinue();
    });
    server.emit('request', incoming, answer);
  });
};

/** Default time limit from the first byte of a request to its last, ms. */
export const defaultRequestTimeoutMs = 15_000;
const headersTimeoutMs = 10_000;

const starting = addProbeRoutes(new Hono({ strict: false }), {
  live: () => ({ ok: true, failing: [] }),
  ready: () => ({ ok: false, failing: ['starting'] }),
}).all('*', (c) =>
  c.json({ detail: { code: 'starting', error: 'This service is starting' } }, 503, { 'Retry-After': '1' }),
);

const notLeaving = (): boolean => false;

/** Holds a port for an app that is made later. @throws RelayError `config_invalid` naming the port's variable when it cannot listen */
export const listen = async (options: ListenOptions): Promise<Listener> => {
  let fetchApp: Hono['fetch'] = starting.fetch;
  let leaving: () => boolean = notLeaving;
  const server = createAdaptorServer({
    fetch: (request: Request, bindings: object) => fetchApp(request, bindings),
    serverOptions: {
      requestTimeout: defaultRequestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 1_000,
    },
  }) as Server;
  server.prependListener('request', (_, answer: ServerResponse) => {
    if (leaving()) answer.shouldKeepAlive = false;
  });
  inviteBodies(server, () => leaving());
  await listenOn(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    ...options,
    port,
    serve(app, { clock, requestTimeoutMs = defaultRequestTimeoutMs, ...more }) {
      server.requestTimeout = requestTimeoutMs;
      server.headersTimeout = Math.min(headersTimeoutMs, requestTimeoutMs);
      leaving = more.leaving ?? notLeaving;
      fetchApp = app.fetch;
      return { port, server, close: (deadlineMs = 10_000) => drain(server, clock, deadlineMs) };
    },
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** Serves an app; rejects with `config_invalid` naming the port's variable when it cannot listen. */
export const serve = async (app: Hono, options: ServeOptions): Promise<Serving> =>
  (await listen(options)).serve(app, options);
