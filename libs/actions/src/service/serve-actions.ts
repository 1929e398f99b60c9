import { type Bus, oldestAgeSeconds, requireTopics, type Subscription } from '@ranger-relay/bus';
import { commandsTopic, topics, type TopicSpec } from '@ranger-relay/contracts';
import { createHttpClient } from '@ranger-relay/http';
import type { KeyValue } from '@ranger-relay/kv';
import type { Platform } from '@ranger-relay/platform';
import {
  type commonEnv,
  type Context,
  type Env,
  type ListenConfig,
  serveService,
  splitList,
} from '@ranger-relay/runtime';
import { commandConsumer } from '../bus/commands.ts';
import type { Catalogue } from '../define/catalogue.ts';
import { type ActionsConfig, authenticateBy, commandsTopicOf } from '../env.ts';
import type { ExecuteOutcome, ExecuteRequest } from '../execute/request.ts';
import { type ActionRuntime, createRuntime } from '../execute/runtime.ts';
import { createActionApp } from '../http/app.ts';
import type { VerifyToken } from '../http/auth/authenticate.ts';
import { verifyByJwks } from '../http/auth/jwks.ts';
import { typeSlug } from '../registration/body.ts';
import type { BelievedTime } from '../time/believed-time.ts';

/** The metric label of an action. Ids come from outside, so only ids in the catalogue become labels. */
const labelOf = (catalogue: Catalogue, { wanted }: ExecuteRequest): string =>
  ('actionId' in wanted ? catalogue.get(wanted.actionId) : catalogue.ofModel(wanted.model))?.id ?? 'unknown';

const ran: ReadonlySet<ExecuteOutcome['kind']> = new Set(['complete', 'failed', 'timed_out']);

/** A runtime that counts and times runs by action; a run that did not start has no duration. */
export const measured = (
  runtime: ActionRuntime,
  { clock, metrics }: Pick<Context, 'clock' | 'metrics'>,
): ActionRuntime => ({
  ...runtime,
  async execute(request) {
    const action = labelOf(runtime.catalogue, request);
    const began = clock.monotonic();
    const outcome = await runtime.execute(request);
    metrics.count('relay_action_runs_total', { action, outcome: outcome.kind });
    if (ran.has(outcome.kind)) metrics.observe('relay_action_seconds', (clock.monotonic() - began) / 1_000, { action });
    return outcome;
  },
});

/** Variables of the caller authentication. */
type CallerCheckConfig = ActionsConfig & Pick<Env<typeof commonEnv>, 'HTTP_ALLOWED_NETWORKS'>;

/** Verifies tokens by the keys that the issuers publish, with connections of its own. */
const verifyWith = ({ clock, metrics, lifecycle }: Context, config: CallerCheckConfig): VerifyToken => {
  const http = createHttpClient({
    clock,
    metrics,
    allowedNetworks: config.HTTP_ALLOWED_NETWORKS,
    userAgent: 'ranger-relay',
    upstream: 'identity_provider',
    maxSockets: 4,
  });
  lifecycle.onStop('identity provider connections', () => http.close());
  return verifyByJwks(splitList(config.AUTH_OIDC_ISSUER), { http, clock });
};

/** The connections of a service with actions. */
export interface ActionDependencies {
  readonly bus: Bus;
  readonly kv: KeyValue;
  readonly platform: Pick<Platform, 'integrations' | 'activity' | 'applyConfigEvent' | 'time' | 'askTime'>;
}

/** Variables of serving actions. */
export type ServeActionsConfig = CallerCheckConfig &
  ListenConfig &
  Pick<Env<typeof commonEnv>, 'STOP_GRACE_S'> & { readonly INTEGRATION_TYPE_SLUG: string };

/** The parts of an action service that differ from one service to another. */
export interface ActionServiceSpec {
  /** Name of the service and of its consumer groups. */
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly catalogue: Catalogue;
  /** The time by which a command expires. */
  readonly time: BelievedTime;
  /** Passed to handlers as `tools`. */
  readonly tools?: unknown;
  /** Name of the variable that holds the port, for the error when the port is in use. */
  readonly portVariable?: string;
}

/** A running service with actions. */
export interface ActionService {
  readonly port: number;
  readonly runtime: ActionRuntime;
  /** Its commands topic. */
  readonly commandsTopic: string;
}

/** Shutdown time reserved for everything besides the runs: last requests, final reports, commits, connections. */
export const afterRunsS = 14;

/** Name of a service's commands topic, according to the environment. */
export const commandsTopicSpec = (
  config: Pick<ActionsConfig, 'INTEGRATION_COMMANDS_TOPIC'>,
  slug: string,
): TopicSpec => ({ ...commandsTopic(slug), name: commandsTopicOf(config, slug) });

const createServiceRuntime = (
  context: Context,
  { bus, kv, platform }: ActionDependencies,
  config: ServeActionsConfig,
  { catalogue, tools }: ActionServiceSpec,
): ActionRuntime =>
  measured(
    createRuntime({
      slug: typeSlug(config.INTEGRATION_TYPE_SLUG),
      catalogue,
      tools,
      integrations: platform.integrations,
      activity: platform.activity,
      state: kv.state,
      bus,
      context,
      commandsTopic: commandsTopicOf(config, config.INTEGRATION_TYPE_SLUG),
      maxExecutionMs: config.MAX_ACTION_EXECUTION_TIME * 1_000,
      limits: { total: config.ACTIONS_MAX_RUNNING, perIntegration: config.ACTIONS_MAX_RUNNING_PER_INTEGRATION },
    }),
    context,
  );

const appOf = (
  context: Context,
  { bus, platform }: ActionDependencies,
  config: ServeActionsConfig,
  { title, version }: ActionServiceSpec,
  runtime: ActionRuntime,
) =>
  createActionApp(runtime, {
    context,
    bus,
    authenticate: authenticateBy(config, () => verifyWith(context, config)),
    applyConfigEvent: (event) => platform.applyConfigEvent(event),
    topics: {
      commands: commandsTopicOf(config, config.INTEGRATION_TYPE_SLUG),
      configEvents: topics.configEvents.name,
    },
    inBackground: config.PROCESS_PUBSUB_MESSAGES_IN_BACKGROUND,
    maxBodyBytes: config.ACTIONS_MAX_BODY_BYTES,
    title,
    version,
    ...(config.INTEGRATION_SERVICE_URL === undefined ? {} : { url: config.INTEGRATION_SERVICE_URL }),
  });

/**
 * Serves actions over HTTP and from their commands topic. Registers the shutdown on the context's lifecycle: no new work is accepted, and
 * running actions finish or their messages are returned for redelivery.
 * @throws RelayError `config_invalid`
 */
export const serveActions = async (
  context: Context,
  connections: ActionDependencies,
  config: ServeActionsConfig,
  spec: ActionServiceSpec,
): Promise<ActionService> => {
  for (const name of spec.catalogue.ignored)
    context.log.warn(
      { export: name },
      'an export is an action, but is not served: its name does not begin with action_',
    );
  const runtime = createServiceRuntime(context, connections, config, spec);
  const app = appOf(context, connections, config, spec, runtime);
  const topic = commandsTopicOf(config, config.INTEGRATION_TYPE_SLUG);
  const commands: Subscription[] = [];
  requireTopics(context.health, connections.bus, [topic]);
  context.health.addReadiness({
    name: 'commands joined',
    ok: () => commands.length > 0 && commands.every((c) => c.ready()),
  });
  context.health.addLiveness({ name: 'commands alive', ok: () => commands.every((c) => c.alive()) });
  context.metrics.onScrape(() =>
    context.metrics.set('relay_oldest_command_age_seconds', oldestAgeSeconds(commands, context.clock.now())),
  );
  // The health routes respond while the service waits for an unavailable bus.
  const port = await serveService(context, app, config, spec.portVariable);
  commands.push(
    await connections.bus.consume(commandConsumer({ runtime, context, topic, group: spec.name, time: spec.time })),
  );
  context.lifecycle.onStop('commands', () => commands[0]?.close());
  // Time for running actions to finish; after it they are abandoned and their messages redelivered.
  context.lifecycle.onStop('runs', () => runtime.stop((config.STOP_GRACE_S - afterRunsS) * 1_000));
  context.lifecycle.onStop('not ready', () => context.health.drain());
  return { port, runtime, commandsTopic: topic };
};
