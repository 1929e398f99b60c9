import { runnerEnv } from '@ranger-relay/action-runner';
import { actionsEnv } from '@ranger-relay/actions';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { commonEnv, kafkaEnv, kinds, platformEnv, type Env, type EnvTable } from '@ranger-relay/runtime';
import { dataDirEnv } from '../program/open-stores.ts';

/** Integration types of the services with actions. */
export const typeSlugEnv = {
  PUSHER_TYPE_SLUG: {
    kind: kinds.slug(),
    default: 'device_connector',
    description: 'Integration type of the devices',
  },
  RUNNER_TYPE_SLUG: { kind: kinds.slug(), default: 'site_connector', description: 'Integration type of the sites' },
} as const;

/** Variables of commands about actions. */
export const actionsCliEnv = {
  ...dataDirEnv,
  ...typeSlugEnv,
  PUSHER_URL: {
    kind: kinds.url(),
    description: 'Address of the message pusher; that of the `up` of DATA_DIR when not set',
  },
  RUNNER_URL: {
    kind: kinds.url(),
    description: 'Address of the action runner; that of the `up` of DATA_DIR when not set',
  },
  PUSHER_PORT: {
    kind: kinds.port(),
    default: '8082',
    description: 'Port of a message pusher that runs alone on this machine',
  },
  RUNNER_PORT: {
    kind: kinds.port(),
    default: '8083',
    description: 'Port of an action runner that runs alone on this machine',
  },
  AUTH_TOKEN: {
    ...actionsEnv.AUTH_TOKEN,
    description: 'Bearer token for the services; the token of `up` in DATA_DIR when not set',
  },
  SCHEDULER: runnerEnv.SCHEDULER,
  ACTION_SCHEDULES: runnerEnv.ACTION_SCHEDULES,
  SITE_CLIENT_ID: runnerEnv.SITE_CLIENT_ID,
  PUSH_MESSAGE_EVENT_TYPE: pusherEnv.PUSH_MESSAGE_EVENT_TYPE,
  KAFKA_BROKERS: kafkaEnv.KAFKA_BROKERS,
  HTTP_ALLOWED_NETWORKS: commonEnv.HTTP_ALLOWED_NETWORKS,
  INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC,
  ...platformEnv,
} as const satisfies EnvTable;

/** Parsed variables of commands about actions. */
export type ActionsCliEnv = Env<typeof actionsCliEnv>;
