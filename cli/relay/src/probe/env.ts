import { commonEnv, kinds, type Env, type EnvTable } from '@ranger-relay/runtime';

/** Variables of `probe`, beside those of bus and store. */
export const probeEnv = {
  PROBE_URL: { kind: kinds.url(), about: 'Address of the webhook; this machine, INGESTER_PORT, when not set' },
  PROBE_INTEGRATION: { kind: kinds.text(100), about: 'Integration that the test event is of' },
  PROBE_TOKEN: { kind: kinds.text(4_096), secret: true, about: 'Token of that integration at the webhook' },
  WEBHOOK_TOKENS_FILE: {
    kind: kinds.path(),
    about: 'The webhook’s own file of tokens: integration and token are taken from it when they are not set',
  },
  INGESTER_PORT: { kind: kinds.port(), default: '8081', about: 'Port of the webhook of a running `up`' },
  DATA_DIR: { kind: kinds.path(), default: '.data', about: 'Directory of a running `up`' },
  INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC,
} as const satisfies EnvTable;

/** Parsed variables of `probe`. */
export type ProbeEnv = Env<typeof probeEnv>;
