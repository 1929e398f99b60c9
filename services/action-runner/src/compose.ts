import { hostname } from 'node:os';
import {
  type ActionDependencies,
  type ActionService,
  commandsTopicOf,
  createBelievedTime,
  registerOnStart,
  serveActions,
  typeSlug,
} from '@ranger-relay/actions';
import { requireTopics } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { createHttpClient, type HttpClient } from '@ranger-relay/http';
import type { Platform } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { RunnerConfig } from './config.ts';
import { runnerSchedules, runnerType, type RunnerType } from './runner-type.ts';
import { consumeSiteEvents } from './delivery/consumer.ts';
import { announceSchedules } from './scheduler/announce.ts';
import { createEnabledIntegrations } from './scheduler/enabled-integrations.ts';
import { startScheduler } from './scheduler/scheduler.ts';
import { cronTicker, type Ticker } from './scheduler/ticker.ts';
import { createSiteTools } from './tools.ts';

/** Version of the service, equal to that of its package. */
const version = '0.1.0';

/** Connections of the runner. */
export interface RunnerDependencies extends Pick<ActionDependencies, 'bus' | 'kv'> {
  readonly platform: ActionDependencies['platform'] & Pick<Platform, 'registerType' | 'events'>;
  /** HTTP client for calls to the site; default: a new one. */
  readonly http?: HttpClient;
}

/** Replacements for parts of the runner, for tests and scenarios. */
export interface RunnerOptions {
  /** Actions that replace the site connector's. */
  readonly type?: RunnerType;
  readonly ticker?: Ticker;
}

/** A running action runner. */
export interface RunningRunner {
  readonly port: number;
  /** True for an unhandled rejection that a handler left behind; it does not end the process. */
  readonly ownsLeak: (reason: unknown) => boolean;
}

const siteClient = ({ clock, metrics, lifecycle }: Context, config: RunnerConfig): HttpClient => {
  const http = createHttpClient({
    clock,
    metrics,
    allowedNetworks: config.HTTP_ALLOWED_NETWORKS,
    userAgent: 'ranger-relay',
    upstream: 'site',
    maxSockets: 64,
  });
  lifecycle.onStop('site connections', () => http.close());
  return http;
};

const schedule = (
  context: Context,
  { bus, kv, platform }: RunnerDependencies,
  config: RunnerConfig,
  type: RunnerType,
  ticker: Ticker,
): void => {
  const { random, lifecycle } = context;
  const slug = config.INTEGRATION_TYPE_SLUG;
  const scheduler = startScheduler({
    context,
    slug: typeSlug(slug),
    ticker,
    schedules: runnerSchedules(type),
    roster: createEnabledIntegrations({
      ...context,
      slug: typeSlug(slug),
      list: (value) => platform.integrations.list(value),
    }),
    bus,
    topic: commandsTopicOf(config, slug),
    state: kv.state,
    catchupMs: config.SCHEDULE_CATCHUP * 1_000,
    jitterMs: config.SCHEDULE_JITTER * 1_000,
    owner: `${hostname()} ${random.uuid()}`,
  });
  lifecycle.onStop('scheduler', () => scheduler.stop());
};

/**
 * Starts the action runner: registers when configured to, serves the actions, and runs their schedules. Its stop is
 * registered on the context's lifecycle.
 * @param portVariable name of the variable that holds the port, for the error message when the port is taken
 * @throws RelayError `config_invalid`, `crontab_invalid`
 */
export const compose = async (
  context: Context,
  connections: RunnerDependencies,
  config: RunnerConfig,
  portVariable = 'PORT',
  { type = runnerType(config), ticker = cronTicker }: RunnerOptions = {},
): Promise<RunningRunner> => {
  // An unreadable schedule fails the start, even when the platform triggers the runs.
  const schedules = runnerSchedules(type);
  registerOnStart(context, connections.platform, config, type);
  requireTopics(context.health, connections.bus, [topics.sourceEvents.name]);
  const http = connections.http ?? siteClient(context, config);
  const tools = createSiteTools(context, connections.bus, config, http);
  const { port, runtime }: ActionService = await serveActions(context, connections, config, {
    name: 'action-runner',
    title: 'Site connector',
    version,
    catalogue: type.catalogue,
    time: createBelievedTime({ ...context, platform: connections.platform }),
    tools,
    portVariable,
  });
  announceSchedules(context, connections.kv.state, typeSlug(config.INTEGRATION_TYPE_SLUG), {
    scheduler: config.SCHEDULER,
    schedules,
  });
  if (config.SCHEDULER === 'internal') schedule(context, connections, config, type, ticker);
  await consumeSiteEvents(context, connections, tools);
  return { port, ownsLeak: (reason) => runtime.ownsLeak(reason) };
};
