import { host, integer, networks, oneOf, port, text, url } from './kinds.ts';
import type { EnvTable } from './table.ts';

/** Variables of calls to the platform. */
export const platformEnv = {
  PLATFORM_API_BASE_URL: { kind: url(), about: 'Address of the platform API' },
  PLATFORM_SENSORS_BASE_URL: { kind: url(), about: 'Address of the platform sensors API' },
  PLATFORM_TOKEN_URL: { kind: url(), about: 'Address that gives tokens for the platform API' },
  PLATFORM_CLIENT_ID: { kind: text(), about: 'Client id for the token call' },
  PLATFORM_CLIENT_SECRET: { kind: text(), secret: true, about: 'Client secret for the token call' },
  PLATFORM_AUDIENCE: { kind: text(), about: 'Audience of the token, when the platform wants one' },
  PLATFORM_GRANT: {
    kind: oneOf('client_credentials', 'uma-ticket'),
    default: 'client_credentials',
    about: 'Grant of the token call',
  },
} as const satisfies EnvTable;

/** Variables of the key-value store. */
export const kvEnv = {
  KV_HOST: { kind: host(), about: 'Host of the key-value store; `up` keeps an embedded one when it is not set' },
  KV_PORT: { kind: port(), default: '6379', about: 'Port of the key-value store' },
  KV_STATE_DB: { kind: integer(0, 15), default: '0', about: 'Database for state' },
  KV_CONFIGS_DB: { kind: integer(0, 15), default: '1', about: 'Database for cached configuration' },
} as const satisfies EnvTable;

/** Variables that every service reads. */
export const commonEnv = {
  LOG_LEVEL: {
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    about: 'From which level on lines are logged',
  },
  HOST: { kind: host(), default: '0.0.0.0', about: 'Address to listen on' },
  HEALTH_PORT: {
    kind: port(),
    about: 'Second port for /livez, /readyz and /metrics; the service’s own port when not set',
  },
  HTTP_ALLOWED_NETWORKS: {
    kind: networks(),
    default: '',
    about: 'Private networks that outgoing calls may reach, also with plain http',
  },
  INTEGRATION_EVENTS_TOPIC: { kind: text(249), default: 'integration-events', about: 'Topic of the activity log' },
} as const satisfies EnvTable;
