import { baseApp, type Context } from '@ranger-relay/runtime';
import type { Hono } from 'hono';

/** The forwarder's HTTP side: health and metrics, which serving adds, and nothing else. */
export const createApp = (context: Pick<Context, 'log'>): Hono => baseApp(context);
