import { RelayError } from '@ranger-relay/errors';
import { addHealthRoutes, baseApp, type Context } from '@ranger-relay/runtime';
import type { Hono } from 'hono';
import { unassignedHeader } from '../fetch.ts';
import type { Overview } from '../model.ts';
import { renderPage } from '../page/page.ts';
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
}

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
  const { context, collect, recentActivity, simulated } = parts;
  const app = baseApp(context);
  const page = renderPage();

  app.use(hostGuard);
  app.use(async (c, next) => {
    await next();
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cross-Origin-Resource-Policy', 'same-origin');
    c.header('Cache-Control', 'no-store');
  });
  app.get('/', (c) => c.html(page.html, 200, { 'Content-Security-Policy': page.policy }));
  app.get('/status.json', async (c) => {
    const { status, totals } = await collect();
    c.header(unassignedHeader, String(totals.unassigned_dead_letters));
    return c.json(status);
  });
  app.get('/overview.json', async (c) => {
    const overview = await collect();
    const flow = flowCounters(await context.metrics.render());
    return c.json({ ...overview, flow, simulated: simulated !== undefined });
  });
  app.get('/activity.json', (c) => c.json(recentActivity(limitOf(c.req.query('limit')))));
  if (simulated) app.get('/simulated.json', async (c) => c.json(await simulated(limitOf(c.req.query('limit')))));
  return addHealthRoutes(app, context);
};
