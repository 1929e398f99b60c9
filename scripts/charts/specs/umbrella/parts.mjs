import { runnerEnv } from '@ranger-relay/action-runner';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { commonEnv, kafkaEnv, kinds, kvEnv, platformEnv } from '@ranger-relay/runtime';
import { ingesterEnv } from '@ranger-relay/webhook-ingester';
import { kindOf } from '../../env-form.mjs';
import { processEnv, processFlags } from '../../process.mjs';
import { schedulesIn } from '../schedules.mjs';
import { settings } from '../settings.mjs';

/** @typedef {import('@ranger-relay/runtime').EnvTable} EnvTable */

/** Types of the integrations, by the names that they have where several services meet. */
export const slugs = {
  PUSHER_TYPE_SLUG: pusherEnv.INTEGRATION_TYPE_SLUG,
  RUNNER_TYPE_SLUG: runnerEnv.INTEGRATION_TYPE_SLUG,
};
const { INTEGRATION_EVENTS_TOPIC, HTTP_ALLOWED_NETWORKS } = commonEnv;
const dataDir = {
  DATA_DIR: { kind: kinds.path(), default: '.data', description: 'Directory of everything that is kept' },
};

/** What each service of one process has for itself goes by other names there. */
const ofOne = new Set([
  'PORT',
  'HEALTH_PORT',
  'HOST',
  'INTEGRATION_TYPE_SLUG',
  'INTEGRATION_SERVICE_URL',
  'INTEGRATION_COMMANDS_TOPIC',
]);

/** Variables of `ranger-relay up` without bus and store: those of the services together, and its own. @type {EnvTable} */
const upVariables = Object.fromEntries(
  Object.entries({ ...ingesterEnv, ...forwarderEnv, ...pusherEnv, ...runnerEnv, ...platformEnv }).filter(
    ([name]) => !ofOne.has(name) && !(name in kvEnv) && !(name in kafkaEnv),
  ),
);

/** @type {EnvTable} */
export const embeddedEnv = {
  ...upVariables,
  ...slugs,
  PUSHER_SERVICE_URL: { kind: kinds.url(), description: 'Public address of the message pusher' },
  RUNNER_SERVICE_URL: { kind: kinds.url(), description: 'Public address of the action runner' },
  SIMULATED_DEVICES: {
    kind: kinds.integer(0, 500),
    default: '6',
    description: 'Devices of the simulated fleet, when no platform is configured',
  },
  LOG_LEVEL: { ...commonEnv.LOG_LEVEL, default: 'warn' },
  STOP_GRACE_S: pusherEnv.STOP_GRACE_S,
};

/** Variables of each part of the umbrella; a test of the command-line tool holds them against its own. @type {Readonly<Record<string, EnvTable>>} */
export const partEnv = {
  topics: {
    ...kafkaEnv,
    ...slugs,
    INTEGRATION_EVENTS_TOPIC,
    INTEGRATION_COMMANDS_TOPIC: runnerEnv.INTEGRATION_COMMANDS_TOPIC,
  },
  'test-doctor': {
    ...kafkaEnv,
    ...kvEnv,
    ...platformEnv,
    ...slugs,
    ...dataDir,
    HTTP_ALLOWED_NETWORKS,
    INTEGRATION_EVENTS_TOPIC,
    SITE_CLIENT_ID: runnerEnv.SITE_CLIENT_ID,
  },
  'test-probe': {
    ...kafkaEnv,
    ...kvEnv,
    ...dataDir,
    INTEGRATION_EVENTS_TOPIC,
    PROBE_URL: { kind: kinds.url(), description: 'Address of the webhook' },
    PROBE_INTEGRATION: { kind: kinds.text(100), description: 'Integration that the test event is of' },
    PROBE_TOKEN: { kind: kinds.text(4_096), secret: true, description: 'Token of that integration at the webhook' },
    WEBHOOK_TOKENS_FILE: ingesterEnv.WEBHOOK_TOKENS_FILE,
  },
  'ranger-relay': embeddedEnv,
};

const login = {
  variable: 'KAFKA_SASL_PASSWORD',
  place: 'global.kafka.sasl.password',
  when: { variable: 'KAFKA_SASL_MECHANISM', not: 'none' },
};
const storeLogin = {
  variable: 'KV_PASSWORD',
  place: 'global.redis.password',
  when: { variable: 'KV_USERNAME', not: '' },
};
const sentinelLogin = {
  variable: 'KV_SENTINEL_PASSWORD',
  place: 'global.redis.sentinels.password',
  when: { variable: 'KV_SENTINEL_USERNAME', not: '' },
};
const ofPlatform = { variable: 'PLATFORM_API_BASE_URL', not: '' };
const client = { variable: 'PLATFORM_CLIENT_SECRET', place: 'global.platform.clientSecret', when: ofPlatform };

/** @type {Readonly<Record<string, readonly object[]>>} */
const needs = {
  topics: [login],
  'test-doctor': [login, storeLogin, sentinelLogin, client],
  'test-probe': [login, storeLogin, sentinelLogin],
  'ranger-relay': [client],
};

/** @param {string} part */
const factsOf = (part) => {
  const table = partEnv[part] ?? {};
  return {
    program: '/app/ranger-relay.mjs',
    flags: processFlags,
    env: processEnv,
    besideHeapVariable: part === 'ranger-relay' ? 'WEBHOOK_MAX_BUFFERED_BYTES' : '',
    serves: part === 'ranger-relay',
    handler: { seconds: 540, variable: 'MAX_ACTION_EXECUTION_TIME' },
    request: { seconds: 20, bodyVariable: 'WEBHOOK_MAX_BODY_BYTES' },
    settings: settings.filter(({ variable }) => variable in table),
    needs: needs[part] ?? [],
    ...schedulesIn(table),
    variables: Object.fromEntries(
      Object.entries(table).map(([name, spec]) => [name, { kind: kindOf(spec), default: spec.default ?? '' }]),
    ),
  };
};

/** Facts of each part, for the templates. */
export const partFacts = Object.fromEntries(Object.keys(partEnv).map((part) => [part, factsOf(part)]));
