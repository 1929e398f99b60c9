import type { Hono } from 'hono';
import { addHealthRoutes, baseApp } from './app.ts';
import type { Context } from './context.ts';
import { serve } from './serve.ts';

/** Where a service listens. */
export interface ListenConfig {
  readonly HOST: string;
  readonly PORT: number;
  /** When set, health and metrics listen here and not on the service's own port. */
  readonly HEALTH_PORT: number | undefined;
}

/**
 * Serves a service's app with its health routes, on a second port when one is set. At the end the process is not ready first, then
 * requests under way finish. Returns the port of the app.
 * @throws RelayError `config_invalid` naming the port's variable when it cannot be listened to
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
    const serving = await serve(healthApp, {
      host,
      port: healthPort,
      portVariable: 'HEALTH_PORT',
      clock,
      leaving: health.draining,
    });
    lifecycle.onStop('health server', () => serving.close(1_000));
  }
  const serving = await serve(app, { host, port, portVariable, clock, leaving: health.draining });
  lifecycle.onStop('server', () => serving.close());
  lifecycle.onStop('not ready', () => health.drain());
  return serving.port;
};
