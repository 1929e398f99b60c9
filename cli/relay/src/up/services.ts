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

/** The services as they run. */
export interface Running {
  /** Where each listens; without those with actions when they are off. */
  readonly ports: {
    readonly ingester: number;
    readonly forwarder: number;
    readonly pusher?: number;
    readonly runner?: number;
  };
  readonly services: () => readonly ServiceStatus[];
  /** True for an unhandled rejection of an action. */
  readonly ownsLeak: (reason: unknown) => boolean;
}

/** Starts every service; those with actions only if callers can be authenticated. @throws RelayError `config_invalid` and others */
export const startServices = async (contexts: Contexts, connected: Connected, settings: Settings): Promise<Running> => {
  const { activity, sensors, integrations } = connected.platform;
  const { PUSHER_TYPE_SLUG: devices, RUNNER_TYPE_SLUG: sites } = settings;
  const [ofForwarder, ofIngester] = [contexts.of('observation-forwarder'), contexts.of('webhook-ingester')];
  const started: Context[] = [ofIngester, ofForwarder];
  const addContext = (service: string): Context => {
    const context = contexts.of(service);
    started.push(context);
    return context;
  };
  const forwarder = await composeForwarder(
    ofForwarder,
    { ...connected, sensors, activity },
    serviceSettings(settings, { slug: devices, port: settings.FORWARDER_PORT }),
    'FORWARDER_PORT',
  );
  const ingester = await composeIngester(
    ofIngester,
    { ...connected, activity, loadIntegration: integrations.loadIntegration },
    serviceSettings(settings, { slug: devices, port: settings.INGESTER_PORT }),
    'INGESTER_PORT',
  );
  const hasActions = runsActions(settings);
  const pusher = hasActions
    ? await composePusher(
        addContext('message-pusher'),
        connected,
        serviceSettings(settings, {
          slug: devices,
          port: settings.PUSHER_PORT,
          url: settings.PUSHER_SERVICE_URL,
        }),
        'PUSHER_PORT',
      )
    : undefined;
  const runner = hasActions
    ? await composeRunner(
        addContext('action-runner'),
        connected,
        serviceSettings(settings, { slug: sites, port: settings.RUNNER_PORT, url: settings.RUNNER_SERVICE_URL }),
        'RUNNER_PORT',
      )
    : undefined;
  return {
    ports: {
      forwarder: forwarder.port,
      ingester: ingester.port,
      ...(pusher && runner ? { pusher: pusher.port, runner: runner.port } : {}),
    },
    services: () =>
      started.map(({ service, health }) => {
        const { ok, failing } = health.ready();
        return { name: service, ready: ok, failing };
      }),
    ownsLeak: (reason) => [pusher, runner].some((service) => service?.ownsLeak(reason) ?? false),
  };
};
