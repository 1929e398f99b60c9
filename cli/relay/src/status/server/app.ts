import { isRelayError, RelayError } from '@ranger-relay/errors';
import { addHealthRoutes, baseApp, type Context, type Serving } from '@ranger-relay/runtime';
import type { Hono, MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Overview, Status } from '../model.ts';
import { pagePolicy, renderPage, renderParts, titleOf } from '../page/page.ts';
import { type Html, type PageView, partsOf, troublePart } from '../page/parts.ts';
import type { RecentActivity } from './activity-tail.ts';
import { flowCounters } from './counters.ts';
import type { SimulatedItems } from '../page/rows.ts';

const hostName = (header: string): string => header.toLowerCase().replace(/:\d{1,5}$/, '');

/** Whether a Host header names this machine. A page of another site whose name leads here (DNS rebinding) does not. */
export const isLocalHost = (header: string | undefined): boolean =>
  header !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(hostName(header));

/** Answers 403 unless the request is for this machine, and 405 unless it is a GET. */
export const hostGuard: MiddlewareHandler = async (c, next) => {
  if (!isLocalHost(c.req.header('host')))
    return c.json(
      { detail: { code: 'host_refused', error: 'Open this page as http://127.0.0.1 or http://localhost' } },
      403,
    );
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD')
    return c.json({ detail: { code: 'method_refused', error: 'Only GET is supported' } }, 405, {
      Allow: 'GET, HEAD',
    });
  return next();
};

/** Where the status server listens, and what it shows. */
interface StatusServerOptions extends Omit<StatusAppDependencies, 'context'> {
  readonly context: Pick<Context, 'log' | 'health' | 'metrics' | 'clock' | 'lifecycle' | 'serve'>;
  /** 127.0.0.1 except in tests: the page is only for this machine. */
  readonly host?: string;
  readonly port: number;
}

/** Starts the status server; it ends with the process. @throws RelayError `config_invalid` naming STATUS_PORT */
export const startStatusServer = async (options: StatusServerOptions): Promise<Pick<Serving, 'port' | 'close'>> => {
  const { context, host = '127.0.0.1', port } = options;
  const { clock, lifecycle, serve } = context;
  const serving = await serve(createStatusApp(options), { host, port, portVariable: 'STATUS_PORT', clock });
  lifecycle.onStop('status server', () => serving.close(1_000));
  return serving;
};

/** Data of the status server. */
export interface StatusAppDependencies {
  readonly context: Pick<Context, 'log' | 'health' | 'metrics' | 'clock'>;
  readonly collect: () => Promise<Overview>;
  readonly recentActivity: RecentActivity;
  /** Left out when a real platform is used. */
  readonly simulated?: SimulatedItems;
  /** This process, so that commands can tell it from another one. */
  readonly up?: NonNullable<Status['up']>;
  /** Prefix of a command in another terminal, like `DATA_DIR=/data`; none by default. */
  readonly settings?: readonly string[];
}

/** Most rows of a list on the page. */
const pageLimit = 100;
const defaultLimit = 50;
const maxLimit = 200;

const limitOf = (text: string | undefined): number => {
  if (text === undefined) return defaultLimit;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1)
    throw new RelayError('usage', { details: { problem: `limit must be a whole number from 1 to ${maxLimit}` } });
  return Math.min(limit, maxLimit);
};

/** The status server's routes: page, JSON, health. Everything is read-only and only for this machine. */
export const createStatusApp = (parts: StatusAppDependencies): Hono => {
  const { context, collect, recentActivity, simulated, up, settings = [] } = parts;
  const app = baseApp(context);

  const view = async (): Promise<PageView> => ({
    overview: await collect(),
    flow: await flowCounters(context.metrics),
    activity: recentActivity(pageLimit),
    simulated: await simulated?.(pageLimit),
    now: context.clock.now(),
    settings,
  });

  /** While bus or store are unavailable, the page says so and keeps the last content. */
  const shown = async (): Promise<{ readonly title: string; readonly parts: Html; readonly status: 200 | 503 }> => {
    try {
      const seen = await view();
      return { title: titleOf(seen.overview.status.verdict), parts: partsOf(seen), status: 200 };
    } catch (thrown) {
      if (!isRelayError(thrown)) throw thrown;
      const title = titleOf({ level: 'critical', text: thrown.message });
      return { title, parts: troublePart(thrown.message), status: 503 };
    }
  };

  app.use(hostGuard);
  // The page is plain HTTP, of this machine.
  app.use(secureHeaders({ strictTransportSecurity: false }));
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });
  for (const [path, render] of [
    ['/', renderPage],
    ['/parts', renderParts],
  ] as const)
    app.get(path, async (c) => {
      const { title, parts, status } = await shown();
      return c.html(render(title, parts), status, { 'Content-Security-Policy': pagePolicy });
    });
  app.get('/status.json', async (c) => {
    const { status } = await collect();
    return c.json(up ? { ...status, up } : status);
  });
  app.get('/activity.json', (c) => c.json(recentActivity(limitOf(c.req.query('limit')))));
  if (simulated) app.get('/simulated.json', async (c) => c.json(await simulated(limitOf(c.req.query('limit')))));
  return addHealthRoutes(app, context);
};
