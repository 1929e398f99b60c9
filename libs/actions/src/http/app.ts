import { createDeadLetters } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import { baseApp, bodyStreamOf, createRateLimitedLog } from '@ranger-relay/runtime';
import type { Context as HonoContext, Hono } from 'hono';
import type { ActionRuntime } from '../execute/runtime.ts';
import { respond } from './responses.ts';
import { createBodyReader } from './body.ts';
import { commandHandler } from './handlers/command.ts';
import { configEventsHandler } from './handlers/config-events.ts';
import { executeHandler } from './handlers/execute.ts';
import { pushHandler } from './handlers/push.ts';
import { openApiDocument } from './openapi.ts';
import type { ActionAppOptions, HandlerDependencies, Incoming } from './dependencies.ts';
import { routes, type RouteId } from './routes.ts';

const MiB = 1_048_576;

const requestOf = (c: HonoContext): Incoming => ({ body: bodyStreamOf(c), headers: () => c.req.header() });

const good = (body: unknown): Response => respond({ status: 200, body });

/** Creates the HTTP app of an action service (platform contract, runner). Every path works with and without the trailing slash. */
export const createActionApp = (runtime: ActionRuntime, options: ActionAppOptions): Hono => {
  const { context, bus, authenticate, maxBodyBytes = 10 * MiB, maxBufferedBytes = 128 * MiB } = options;
  const parts: HandlerDependencies = {
    ...options,
    maxBodyBytes,
    runtime,
    readBody: createBodyReader({ maxBytes: maxBodyBytes, maxBufferedBytes }, context.clock),
    deadLetters: createDeadLetters({ ...context, bus }),
    limitedLog: createRateLimitedLog(context),
  };
  const ids = runtime.catalogue.actions.map(({ id }) => id);
  const document = openApiDocument(options);
  const handlers: Record<RouteId, (c: HonoContext) => Response | Promise<Response>> = {
    health: () => good({ status: 'healthy' }),
    command: (c) => commandHandler(parts, requestOf(c)),
    push: (c) => pushHandler(parts, requestOf(c)),
    actions: () => good(ids),
    execute: (c) => executeHandler(parts, requestOf(c)),
    configEvents: (c) => configEventsHandler(parts, requestOf(c)),
    document: () => good(document),
  };

  const guarded = async (c: HonoContext, id: RouteId): Promise<Response> => {
    if (await authenticate(c.req.header('authorization'))) return handlers[id](c);
    c.header('WWW-Authenticate', 'Bearer');
    throw new RelayError('caller_unauthorized');
  };

  const app = baseApp(context);
  for (const { id, method, path, open } of routes) app[method](path, (c) => (open ? handlers[id](c) : guarded(c, id)));
  return app;
};
