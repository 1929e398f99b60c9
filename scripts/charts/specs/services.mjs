import { commandsTopic, topics } from '@ranger-relay/contracts';
import { runnerEnv } from '@ranger-relay/action-runner';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { forwarderEnv, forwarderGroup } from '@ranger-relay/observation-forwarder';
import { sensorsLimits } from '@ranger-relay/platform';
import { bodyTimeoutMs, ingesterEnv, storeWithinMs } from '@ranger-relay/webhook-ingester';
import { serviceChart } from './service.mjs';
import { version } from '../version.mjs';

const commands = {
  topic: commandsTopic('').name,
  slug: 'INTEGRATION_TYPE_SLUG',
  variable: 'INTEGRATION_COMMANDS_TOPIC',
};
const callers = { variable: 'AUTH_TOKEN', place: 'secrets.AUTH_TOKEN', when: { variable: 'AUTH_MODE', is: 'bearer' } };
const tokens = {
  variable: 'WEBHOOK_TOKENS_FILE',
  place: 'secrets.WEBHOOK_TOKENS_FILE',
  when: { variable: 'WEBHOOK_AUTH', is: 'token' },
};

/** To receive a body, to store it, and a little. */
const webhook = { seconds: Math.ceil((bodyTimeoutMs + storeWithinMs) / 1_000) + 2 };

/** What AUTH_MODE=oidc needs beside the audience of tokens. */
export const oidc = {
  'config.AUTH_OIDC_ISSUER': 'https://issuer.example',
  'config.AUTH_OIDC_SERVICE_ACCOUNT': 'platform@issuer.example',
};

/** What both services with actions share. */
const actions = {
  paths: ['/'],
  handler: { seconds: 540, variable: 'MAX_ACTION_EXECUTION_TIME' },
  request: { seconds: 540, variable: 'MAX_ACTION_EXECUTION_TIME', bodyVariable: 'ACTIONS_MAX_BODY_BYTES' },
  needs: [callers],
  notes: {
    beside: {
      AUTH_MODE: {
        'config.INTEGRATION_SERVICE_URL': 'https://relay.example',
        ...oidc,
      },
    },
  },
};

export const webhookIngester = serviceChart({
  name: 'webhook-ingester',
  about: 'Takes what the vendor of satellite devices delivers and puts it on the bus',
  version,
  env: ingesterEnv,
  replicas: 2,
  consumes: [],
  partitions: undefined,
  lag: 0,
  http: 8_081,
  paths: ['/webhooks'],
  handler: webhook,
  request: { ...webhook, bodyVariable: 'WEBHOOK_MAX_BODY_BYTES' },
  memory: { limitMi: 512, requestMi: 128, besideHeapVariable: 'WEBHOOK_MAX_BUFFERED_BYTES' },
  needs: [tokens],
  notes: {
    beside: {
      WEBHOOK_AUTH: { 'config.WEBHOOK_TRUSTED_PROXIES': '10.0.0.0/8' },
      WEBHOOK_MAX_BODY_BYTES: { 'config.WEBHOOK_MAX_BUFFERED_BYTES': 134_217_728 },
    },
  },
});

export const observationForwarder = serviceChart({
  name: 'observation-forwarder',
  about: 'Brings events from the bus to the platform, in order and once',
  version,
  env: forwarderEnv,
  replicas: 1,
  consumes: [
    { topic: topics.sourceEvents.name, group: forwarderGroup },
    { topic: topics.sourceEventsParked.name, group: forwarderGroup },
  ],
  partitions: topics.sourceEvents.partitions,
  lag: 500,
  http: undefined,
  paths: undefined,
  handler: { seconds: sensorsLimits.totalMs / 1_000 },
  request: undefined,
  memory: { limitMi: 512, requestMi: 128 },
  needs: [],
});

export const messagePusher = serviceChart({
  ...actions,
  name: 'message-pusher',
  about: 'Sends texts to satellite devices, each of them once',
  version,
  env: pusherEnv,
  replicas: 1,
  consumes: [
    { topic: topics.outboundMessages.name, group: 'message-pusher' },
    { ...commands, group: 'message-pusher' },
  ],
  partitions: topics.outboundMessages.partitions,
  lag: 50,
  http: 8_082,
  memory: { limitMi: 384, requestMi: 128 },
});

export const actionRunner = serviceChart({
  ...actions,
  name: 'action-runner',
  about: 'Pulls from ranger-tracking sites, by schedule or when asked',
  version,
  env: runnerEnv,
  replicas: 1,
  consumes: [{ ...commands, group: 'action-runner' }],
  partitions: commandsTopic('').partitions,
  lag: 5,
  http: 8_083,
  memory: { limitMi: 512, requestMi: 128 },
});
