import { createDeadLetters, requireTopics } from '@ranger-relay/bus';
import { readSettings, type ReadSettings } from '@ranger-relay/device';
import type { KeyValue } from '@ranger-relay/kv';
import { baseApp, type Context, createRateLimitedLog, serveService } from '@ranger-relay/runtime';
import { createSosLog, eventTopics, type WatchedBus } from '@ranger-relay/service';
import type { Hono } from 'hono';
import { type ActivitySink, createActivityReporter } from './activity-reporter.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createByteBudget, createByteRate } from './body/read-body.ts';
import type { IngesterConfig } from './config.ts';
import { createIngestLimiter } from './ingest-limiter.ts';
import { createWebhookConditions } from './webhook-conditions.ts';
import { exchangeOf, handleWebhook, type LoadIntegration, type WebhookDependencies } from './webhook.ts';

/** The ingester's HTTP app: `POST /webhooks`, with and without a trailing slash. */
export const createApp = (parts: WebhookDependencies): Hono => {
  const app = baseApp(parts.context);
  app.post('/webhooks', (c) => handleWebhook(parts, exchangeOf(c)));
  return app;
};

/** Dependencies of the ingester besides its configuration. */
export interface IngesterDependencies {
  readonly bus: WatchedBus;
  readonly kv: KeyValue;
  readonly loadIntegration: LoadIntegration;
  readonly activity: ActivitySink;
  readonly clockGuard: WebhookDependencies['clockGuard'];
}

/** Creates a reader of webhook settings that reads each object once. */
const createSettingsReader = (): ((raw: unknown) => ReadSettings) => {
  const known = new WeakMap<object, ReadSettings>();
  return (raw) => {
    if (typeof raw !== 'object' || raw === null) return readSettings(raw);
    const cached = known.get(raw);
    if (cached) return cached;
    const read = readSettings(raw);
    known.set(raw, read);
    return read;
  };
};

/** Builds the dependencies of the app. @throws RelayError `config_invalid` */
export const buildParts = (
  context: WebhookDependencies['context'],
  { bus, kv, loadIntegration, activity, clockGuard }: IngesterDependencies,
  config: IngesterConfig,
): WebhookDependencies => {
  // The largest body must fit, otherwise it would be deferred forever.
  const maxBytesPerMinute = Math.max(config.WEBHOOK_MAX_BYTES_PER_MINUTE, config.WEBHOOK_MAX_BODY_BYTES);
  const logs = {
    refused: createRateLimitedLog(context),
    failed: createRateLimitedLog(context),
    sos: createRateLimitedLog(context),
  };
  return {
    context,
    bus,
    authenticate: createAuthenticate(config, context),
    loadIntegration,
    readSettings: createSettingsReader(),
    reporter: createActivityReporter(activity, kv.state, context.clock),
    budget: createByteBudget(config.WEBHOOK_MAX_BUFFERED_BYTES, config.WEBHOOK_MAX_BODY_BYTES),
    byteRate: createByteRate(maxBytesPerMinute, context.clock),
    maxBytesPerMinute,
    limiter: createIngestLimiter(context.clock),
    clockGuard,
    deadLetters: createDeadLetters({ ...context, bus }),
    sosLog: createSosLog({ ...context, bus }),
    conditions: createWebhookConditions(context, loadIntegration),
    logs,
    maxBodyBytes: config.WEBHOOK_MAX_BODY_BYTES,
    badBodyStatus: config.WEBHOOK_INVALID_BODY === 'reject' ? 422 : 200,
  };
};

/**
 * Starts the ingester and registers its stop on the context's lifecycle. Returns the port it listens on.
 * @param portVariable name of the variable that holds the port, for the error message when the port is taken
 * @throws RelayError `config_invalid`
 */
export const compose = async (
  context: Context,
  dependencies: IngesterDependencies,
  config: IngesterConfig,
  portVariable = 'PORT',
): Promise<{ port: number }> => {
  // Initializes the counters at zero, so that the first increment is visible.
  for (const outcome of ['stored', 'rejected', 'dropped_disabled'])
    context.metrics.count('relay_sos_events_total', { outcome }, 0);
  const { bus, clockGuard } = dependencies;
  const { health, lifecycle } = context;
  const parts = buildParts(context, dependencies, config);
  lifecycle.onStop('webhook entries', () => parts.reporter.flush());
  const app = createApp(parts);
  health.addReadiness({ name: 'bus connected', ok: () => bus.ready() });
  requireTopics(health, bus, eventTopics);
  health.addReadiness({ name: 'events can be written', ok: () => eventTopics.every((topic) => bus.canWrite(topic)) });
  health.addReadiness({ name: 'clock right', ok: () => clockGuard.problem() === null });
  const port = await serveService(context, app, config, portVariable);
  return { port };
};
