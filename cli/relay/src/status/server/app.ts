import { isRelayError, RelayError } from '@ranger-relay/errors';
import { addHealthRoutes, baseApp, type Context } from '@ranger-relay/runtime';
import type { Hono } from 'hono';
import { unassignedHeader } from '../fetch.ts';
import type { Overview } from '../model.ts';
import { pagePolicy, renderPage, renderParts, titleOf } from '../page/page.ts';
import { partsOf, troublePart, type Html, type PageView } from '../page/parts.ts';
import type { RecentActivity } from './activity-tail.ts';
import { flowCounters } from './counters.ts';
import { hostGuard } from './host-guard.ts';
import type { SimulatedItems } from './simulated.ts';

/** What the status server shows. */
export interface StatusAppParts {
  readonly context: Pick<Context, 'log' | 'health' | 'metrics' | 'clock'>;
  readonly collect: () => Promise<Overview>;
  readonly recentActivity: RecentActivity;
  /** Left out when a real platform is used. */
  readonly simulated?: SimulatedItems;
  /** What stands before a command in another terminal, like `DATA_DIR=/data`; nothing when left out. */
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
    throw new RelayError('usage', { details: { problem: `limit takes a whole number from 1 to ${maxLimit}` } });
  return Math.min(limit, maxLimit);
};

/** The status server's routes: page, JSON, health. Everything is read-only and for this machine alone. */
export const createStatusApp = (parts: StatusAppParts): Hono => {
  const { context, collect, recentActivity, simulated, settings = [] } = parts;
  const app = baseApp(context);

  const view = async (): Promise<PageView> => ({
    overview: await collect(),
    flow: flowCounters(await context.metrics.render()),
    activity: recentActivity(pageLimit),
    simulated: await simulated?.(pageLimit),
    now: context.clock.now(),
    settings,
  });

  /** While bus or store are away the page says so, and what was seen before stays. */
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
  app.use(async (c, next) => {
    await next();
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cross-Origin-Resource-Policy', 'same-origin');
    c.header('Cache-Control', 'no-store');
  });
  app.get('/', async (c) => {
    const { title, parts, status } = await shown();
    return c.html(renderPage(title, parts), status, { 'Content-Security-Policy': pagePolicy });
  });
  app.get('/parts', async (c) => {
    const { title, parts, status } = await shown();
    return c.html(renderParts(title, parts), status, { 'Content-Security-Policy': pagePolicy });
  });
  app.get('/status.json', async (c) => {
    const { status, totals } = await collect();
    c.header(unassignedHeader, String(totals.unassigned_dead_letters));
    return c.json(status);
  });
  app.get('/activity.json', (c) => c.json(recentActivity(limitOf(c.req.query('limit')))));
  if (simulated) app.get('/simulated.json', async (c) => c.json(await simulated(limitOf(c.req.query('limit')))));
  return addHealthRoutes(app, context);
};
