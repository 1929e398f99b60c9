import { compose as composeRunner } from '@ranger-relay/action-runner';
import { compose as composePusher } from '@ranger-relay/message-pusher';
import { compose as composeForwarder } from '@ranger-relay/observation-forwarder';
import type { Platform } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { ClockGuard, WatchedBus } from '@ranger-relay/service';
import { compose as composeIngester } from '@ranger-relay/webhook-ingester';
import type { Stores } from '../data-dir/index.ts';
import type { ServiceStatus } from '../status/index.ts';
import { runsActions } from './config.ts';
import type { Contexts } from './contexts.ts';
import { serviceSettings, type Settings } from './settings.ts';

/** Stores whose failed writes are conditions. */
export type WatchedStores = Stores & { readonly bus: WatchedBus };

type Connected = WatchedStores & { readonly platform: Platform; readonly clockGuard: ClockGuard };

/** Where the services with actions listen. */
export interface ActionPorts {
  readonly pusher: number;
  readonly runner: number;
}

/** The services as they run. */
export interface Running {
  readonly ports: { readonly ingester: number; readonly forwarder: number };
  /** Undefined when they are off. */
  readonly actionPorts: ActionPorts | undefined;
  readonly services: () => readonly ServiceStatus[];
  /** True for an unhandled rejection of an action. */
  readonly ownsLeak: (reason: unknown) => boolean;
}

const startEvents = async (contexts: Contexts, { bus, kv, platform, clockGuard }: Connected, settings: Settings) => {
  const { activity, sensors, integrations } = platform;
  const slug = settings.PUSHER_TYPE_SLUG;
  const forwarder = contexts.of('observation-forwarder');
  const ingester = contexts.of('webhook-ingester');
  const { port: forwarderPort } = await composeForwarder(
    forwarder,
    { bus, kv, sensors, activity },
    serviceSettings(settings, { slug, port: settings.FORWARDER_PORT }),
    'FORWARDER_PORT',
  );
  const { port: ingesterPort } = await composeIngester(
    ingester,
    {
      bus,
      kv,
      activity,
      loadIntegration: integrations.loadIntegration,
      clockGuard,
    },
    serviceSettings(settings, { slug, port: settings.INGESTER_PORT }),
    'INGESTER_PORT',
  );
  return { ports: { ingester: ingesterPort, forwarder: forwarderPort }, contexts: { ingester, forwarder } };
};

const startActions = async (contexts: Contexts, connected: Connected, settings: Settings) => {
  const pusher = contexts.of('message-pusher');
  const runner = contexts.of('action-runner');
  const started = [
    await composePusher(
      pusher,
      connected,
      serviceSettings(settings, {
        slug: settings.PUSHER_TYPE_SLUG,
        port: settings.PUSHER_PORT,
        url: settings.PUSHER_SERVICE_URL,
      }),
      'PUSHER_PORT',
    ),
    await composeRunner(
      runner,
      connected,
      serviceSettings(settings, {
        slug: settings.RUNNER_TYPE_SLUG,
        port: settings.RUNNER_PORT,
        url: settings.RUNNER_SERVICE_URL,
      }),
      'RUNNER_PORT',
    ),
  ] as const;
  const [{ port: pusherPort }, { port: runnerPort }] = started;
  return {
    ports: { pusher: pusherPort, runner: runnerPort },
    contexts: { pusher, runner },
    ownsLeak: (reason: unknown) => started.some((service) => service.ownsLeak(reason)),
  };
};

/** Starts every service; those with actions only if callers can be authenticated. @throws RelayError `config_invalid` and others */
export const startServices = async (contexts: Contexts, connected: Connected, settings: Settings): Promise<Running> => {
  const events = await startEvents(contexts, connected, settings);
  const actions = runsActions(settings) ? await startActions(contexts, connected, settings) : undefined;
  const named: readonly (readonly [name: string, context: Context])[] = [
    ['webhook-ingester', events.contexts.ingester],
    ['observation-forwarder', events.contexts.forwarder],
    ...(actions
      ? ([
          ['message-pusher', actions.contexts.pusher],
          ['action-runner', actions.contexts.runner],
        ] as const)
      : []),
  ];
  return {
    ports: events.ports,
    actionPorts: actions?.ports,
    services: () =>
      named.map(([name, { health }]) => {
        const { ok, failing } = health.ready();
        return { name, ready: ok, failing };
      }),
    ownsLeak: (reason) => actions?.ownsLeak(reason) ?? false,
  };
};
