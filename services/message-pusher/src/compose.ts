import {
  afterRunsS,
  createBelievedTime,
  registerOnStart,
  serveActions,
  type ActionDependencies,
  type ActionService,
} from '@ranger-relay/actions';
import { createDeadLetters, oldestAgeSeconds, requireTopics, type Subscription } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { createInbound } from '@ranger-relay/device';
import { createHttpClient, type HttpClient } from '@ranger-relay/http';
import type { Platform } from '@ranger-relay/platform';
import { type Context, type Logger, refuseEnv } from '@ranger-relay/runtime';
import { pusherProblems, type PusherConfig } from './config.ts';
import { createLedger } from './ledger/ledger.ts';
import { outboundConsumer } from './outbound/consumer.ts';
import { textOutcomes } from './push/result.ts';
import { createReplicaMutex } from './push/keyed-mutex.ts';
import { pusherType } from './pusher-type.ts';
import type { PushDeps } from './push/dependencies.ts';

/** Dependencies of the message pusher besides its configuration. */
export interface PusherDependencies extends Pick<ActionDependencies, 'bus' | 'kv'> {
  readonly platform: ActionDependencies['platform'] & Pick<Platform, 'registerType'>;
  /** HTTP client for calls to the vendor; default: a new one. */
  readonly http?: Pick<HttpClient, 'request'>;
}

/** A running message pusher. */
export interface PusherService {
  readonly port: number;
  /** True for an unhandled rejection that a run left behind. */
  readonly ownsLeak: (reason: unknown) => boolean;
}

const name = 'message-pusher';
const version = '0.1.0';
const hourMs = 3_600_000;
/** Time for the ledger besides a call before another worker takes over, ms. */
const windowSlackMs = 5_000;

const vendorHttp = ({ clock, metrics, lifecycle }: Context, allowedNetworks: PusherConfig['HTTP_ALLOWED_NETWORKS']) => {
  const http = createHttpClient({ clock, metrics, allowedNetworks, userAgent: 'ranger-relay', upstream: 'vendor' });
  lifecycle.onStop('vendor connections', () => http.close());
  return http;
};

const toolsOf = (context: Context, dependencies: PusherDependencies, config: PusherConfig): PushDeps => {
  const { bus, kv, http, platform } = dependencies;
  const { clock, random, tracing, metrics, conditions } = context;
  const timeoutMs = config.PUSH_TIMEOUT_S * 1_000;
  const maxAgeMs = config.PUSH_MAX_AGE_H * hourMs;
  const windowMs = timeoutMs + windowSlackMs;
  const time = createBelievedTime({ ...context, platform });
  return {
    clock,
    time,
    random,
    tracing,
    metrics,
    conditions,
    ledger: createLedger({
      state: kv.state,
      clock,
      time,
      random,
      ambiguous: config.PUSH_AMBIGUOUS,
      windowMs,
      maxAgeMs,
    }),
    turns: createReplicaMutex(kv.state, context),
    inbound: createInbound({ http: http ?? vendorHttp(context, config.HTTP_ALLOWED_NETWORKS), timeoutMs }),
    deadLetters: createDeadLetters({ ...context, bus }),
    settings: {
      idAttribute: config.PUSH_ID_ATTRIBUTE,
      timeoutMs,
      maxAgeMs,
    },
  };
};

/** Registered before the runs are, so that the subscriptions close after the runs and unfinished records are handed back. */
const watch = ({ health, lifecycle, metrics, clock }: Context, subscriptions: readonly Subscription[]): void => {
  const joined = (): boolean => subscriptions.length > 0 && subscriptions.every((each) => each.ready());
  health.addReadiness({ name: 'outbound messages joined', ok: joined });
  health.addLiveness({ name: 'outbound messages alive', ok: () => subscriptions.every((each) => each.alive()) });
  // Initializes the counters at zero, so that the first increment is visible.
  for (const outcome of textOutcomes) metrics.count('relay_texts_total', { outcome }, 0);
  metrics.onScrape(() =>
    metrics.set('relay_oldest_unsent_text_age_seconds', oldestAgeSeconds(subscriptions, clock.now())),
  );
  lifecycle.onStop('outbound messages', async () => {
    await Promise.all(subscriptions.map((each) => each.close()));
  });
};

/** Warns of a stop grace that is shorter than a call may take. */
const checkGrace = (log: Logger, { PUSH_TIMEOUT_S: call, STOP_GRACE_S: grace }: PusherConfig): void => {
  const least = call + afterRunsS + windowSlackMs / 1_000;
  if (grace < least)
    log.warn(
      { STOP_GRACE_S: grace, PUSH_TIMEOUT_S: call },
      `STOP_GRACE_S is shorter than the longest call to the vendor needs: a text that is being sent at a stop may be sent twice; set it to ${least} or more`,
    );
};

/**
 * Starts the message pusher: registers when configured to, serves the actions, and sends the texts of
 * `outbound-messages`. Its stop is registered on the context's lifecycle.
 * @param portVariable name of the variable that holds the port, for the error message when the port is taken
 * @throws RelayError `config_invalid`
 */
export const compose = async (
  context: Context,
  dependencies: PusherDependencies,
  config: PusherConfig,
  portVariable = 'PORT',
): Promise<PusherService> => {
  refuseEnv(pusherProblems(config));
  checkGrace(context.log, config);
  const { bus, platform } = dependencies;
  const type = pusherType(config);
  registerOnStart(context, platform, config, type);
  const tools = toolsOf(context, dependencies, config);
  const subscriptions: Subscription[] = [];
  watch(context, subscriptions);
  requireTopics(context.health, bus, [topics.outboundMessages.name]);
  const spec = {
    name,
    title: 'Device connector',
    version,
    catalogue: type.catalogue,
    time: tools.time,
    tools,
    portVariable,
  };
  const { port, runtime }: ActionService = await serveActions(context, dependencies, config, spec);
  const { settings, time } = tools;
  const { maxAgeMs } = settings;
  subscriptions.push(await bus.consume(outboundConsumer({ runtime, context, group: name, time, maxAgeMs })));
  return { port, ownsLeak: runtime.ownsLeak };
};
