import { baseApp } from '@ranger-relay/runtime';
import type { Hono } from 'hono';
import { exchangeOf } from './exchange.ts';
import type { WebhookParts } from './parts.ts';
import { handleWebhook } from './webhook.ts';

/** The ingester's HTTP side: `POST /webhooks`, with and without the last slash. */
export const createApp = (parts: WebhookParts): Hono => {
  const app = baseApp(parts.context);
  app.post('/webhooks', (c) => handleWebhook(parts, exchangeOf(c)));
  return app;
};
