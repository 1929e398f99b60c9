import type { Bus } from '@ranger-relay/bus';
import type { ConfigEvent } from '@ranger-relay/contracts';
import { type HttpClient, refusalOf } from '@ranger-relay/http';
import type { KeyValue } from '@ranger-relay/kv';
import {
  type Clock,
  type commonEnv,
  type Context,
  type Env,
  type EnvProblem,
  parseHttpDate,
  type platformEnv,
  refuseEnv,
} from '@ranger-relay/runtime';
import { type Activity, createActivity } from './activity.ts';
import { type ApiKeys, createApiKeys } from './api-key.ts';
import { createApi, createCall } from './api.ts';
import { readJson } from './classify.ts';
import { createConfigCache } from './config-cache.ts';
import { applyConfigEvent } from './config-events.ts';
import { encryptedConfig, warnOfUnreadable } from './config-entry.ts';
import { createEvents, type Events } from './events/events.ts';
import { followConfigEvents, type Following } from './follow-config-events.ts';
import { createIntegrations, type Integrations } from './integrations.ts';
import { createLoader, type LoadListener } from './loader.ts';
import { type RegisteredType, registerType, type TypeRegistration } from './registration.ts';
import { createSensors, type Sensors } from './sensors.ts';
import { keyCondition, tokenCondition, watchUpstream } from './platform-conditions.ts';
import { createTokenSource, type TokenSettings } from './token.ts';

/** Creates the platform's clock, from its responses. */
export const createServerTime = (clock: Pick<Clock, 'monotonic'>) => {
  let offset: number | null = null;
  return {
    /** The `Date` of the last successful response plus the time since, ms since 1970; null before the first one. */
    now: (): number | null => (offset === null ? null : offset + clock.monotonic()),
    /** Wraps a client to read the `Date` of its responses. */
    watch: (http: HttpClient): HttpClient => ({
      async request(request) {
        const answer = await http.request(request);
        const date = parseHttpDate(answer.headers['date']);
        // The page of an intermediate system does not show the platform's time.
        if (date !== undefined && answer.status >= 200 && answer.status < 300 && readJson(answer) !== undefined)
          offset = date - clock.monotonic();
        return answer;
      },
      close: () => http.close(),
    }),
  };
};

/** Addresses (without a trailing slash) and credentials of the platform. */
export interface PlatformSettings extends TokenSettings {
  readonly apiBaseUrl: string;
  readonly sensorsBaseUrl: string;
  /** The previous client secret, to read configurations in the store that are encrypted with it. */
  readonly previousSecret?: string | undefined;
}

/** Separate routes of items to the platform, which do not delay each other: live, parked and emergency items. */
export type SensorsPools<T> = Readonly<Record<'live' | 'parked' | 'emergency', T>>;

/** Options of `createPlatform`. */
export interface PlatformOptions {
  readonly settings: PlatformSettings;
  readonly http: HttpClient;
  /** Clients of the sensors API, so that slow posts do not delay other calls; default `http`. */
  readonly sensorsHttp?: SensorsPools<HttpClient>;
  readonly kv: KeyValue;
  readonly bus: Bus;
  readonly context: Context;
  /** Topic of the activity log. */
  readonly activityTopic: string;
  /** Slug of the integration type; its webhook is `<slug>_webhook`. */
  readonly typeSlug: string;
}

/** The parts of the platform that a process uses; created once per process. */
export interface Platform {
  readonly integrations: Integrations;
  readonly apiKeys: ApiKeys;
  readonly sensors: SensorsPools<Sensors>;
  readonly events: Events;
  readonly activity: Activity;
  /** Applies a config event to the cache and the store. @throws RelayError `kv_unavailable` */
  applyConfigEvent(event: ConfigEvent): Promise<void>;
  /** Registers an integration type. @throws RelayError `registration_refused` and those of the platform */
  registerType(body: TypeRegistration): Promise<RegisteredType>;
  /** The platform's time according to its last successful response, ms since 1970; null before the first one. */
  time(): number | null;
  /** Makes one inexpensive call, whose response contains the platform's time. @throws RelayError of the platform */
  askTime(): Promise<void>;
  /** Applies config events to the configuration cache until closed. */
  followConfigEvents(): Following;
}

/** Variables that the connection to the platform requires. */
export const neededVariables = [
  'PLATFORM_API_BASE_URL',
  'PLATFORM_SENSORS_BASE_URL',
  'PLATFORM_TOKEN_URL',
  'PLATFORM_CLIENT_ID',
  'PLATFORM_CLIENT_SECRET',
] as const satisfies readonly (keyof typeof platformEnv)[];

/** The required variables that are not set. */
export const platformProblems = (
  env: Pick<Env<typeof platformEnv>, (typeof neededVariables)[number]>,
): readonly EnvProblem[] =>
  neededVariables
    .filter((name) => env[name] === undefined)
    .map((variable) => ({ variable, problem: 'is not set; calls to the platform need it' }));

const addresses = ['PLATFORM_API_BASE_URL', 'PLATFORM_SENSORS_BASE_URL', 'PLATFORM_TOKEN_URL'] as const;

/** The addresses that no call may reach. */
export const platformAddressProblems = (
  env: Pick<Env<typeof platformEnv>, (typeof addresses)[number]> & Pick<Env<typeof commonEnv>, 'HTTP_ALLOWED_NETWORKS'>,
): readonly EnvProblem[] =>
  addresses.flatMap((variable) => {
    const address = env[variable];
    const problem = address === undefined ? undefined : refusalOf(address, env.HTTP_ALLOWED_NETWORKS);
    return problem === undefined ? [] : [{ variable, problem }];
  });

/** Reads the settings from the environment. @throws RelayError `config_invalid` naming the variables that are not set */
export const platformSettings = (env: Env<typeof platformEnv>): PlatformSettings => {
  refuseEnv(platformProblems(env));
  // All of them are set: the line above refuses missing ones.
  const valueOf = (name: (typeof neededVariables)[number]): string => env[name] ?? '';
  return {
    apiBaseUrl: valueOf('PLATFORM_API_BASE_URL'),
    sensorsBaseUrl: valueOf('PLATFORM_SENSORS_BASE_URL'),
    tokenUrl: valueOf('PLATFORM_TOKEN_URL'),
    clientId: valueOf('PLATFORM_CLIENT_ID'),
    clientSecret: valueOf('PLATFORM_CLIENT_SECRET'),
    previousSecret: env.PLATFORM_CLIENT_SECRET_PREVIOUS,
    audience: env.PLATFORM_AUDIENCE,
    grant: env.PLATFORM_GRANT,
  };
};

/** Creates all parts with one token, one cache and one set of keys. Makes no call before it is used. */
export const createPlatform = (options: PlatformOptions): Platform => {
  const {
    settings,
    http: plainHttp,
    sensorsHttp = { live: plainHttp, parked: plainHttp, emergency: plainHttp },
    kv,
    bus,
    context,
    activityTopic,
    typeSlug,
  } = options;
  const { clock, random, log, metrics, conditions } = context;
  const serverTime = createServerTime(clock);
  const askTime = async (): Promise<void> => {
    const wasKnown = serverTime.now() !== null;
    if (!wasKnown) await tokens.token();
    // A cached token shows no time; a separate source requests a new one without replacing it.
    if (wasKnown || serverTime.now() === null) await createTokenSource(settings, http, clock, tokenAsked).token();
  };
  const tokenAsked = tokenCondition(context, askTime);
  const http = watchUpstream(context, 'platform API', askTime)(serverTime.watch(plainHttp));
  const watchSensors = watchUpstream(context, "platform's sensors API");
  const judged = keyCondition(context);
  const tokens = createTokenSource(settings, http, clock, tokenAsked);
  const api = createApi(settings.apiBaseUrl, http, tokens);
  const onStale = (): void => metrics.count('relay_config_stale_total');
  const onLoaded: LoadListener = (id, snapshot) => {
    if (snapshot) conditions.endSubject(id, snapshot.integration.enabled ? 'enabled' : 'disabled');
    else conditions.endSubject(id, 'deleted');
  };
  const { clientSecret, previousSecret } = settings;
  const onUnreadable = warnOfUnreadable({ clock, log });
  const config = encryptedConfig({ kv, clientSecret, previousSecret, onUnreadable });
  const cache = createConfigCache(config, createLoader(api, config, clock, log, onLoaded), clock, onStale);
  const apiKeys = createApiKeys(api, clock);
  const sensorsOf = (client: HttpClient): Sensors =>
    createSensors(settings.sensorsBaseUrl, watchSensors(client), apiKeys, judged);
  return {
    integrations: createIntegrations(api, cache, { clock, random }),
    apiKeys,
    sensors: {
      live: sensorsOf(sensorsHttp.live),
      parked: sensorsOf(sensorsHttp.parked),
      emergency: sensorsOf(sensorsHttp.emergency),
    },
    events: createEvents(settings.sensorsBaseUrl, watchSensors(sensorsHttp.live), apiKeys, judged),
    activity: createActivity({ bus, context, topic: activityTopic, webhookId: `${typeSlug}_webhook` }),
    applyConfigEvent: (event) => applyConfigEvent({ config, cache, clock, conditions }, event),
    registerType: (body) => registerType(createCall(settings.apiBaseUrl, http, tokens), { clock, random }, body),
    time: () => serverTime.now(),
    askTime,
    followConfigEvents: () => followConfigEvents({ bus, random, log, clock, config, cache, conditions }),
  };
};
