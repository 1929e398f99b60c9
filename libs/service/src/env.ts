import { kafkaEnv, kvEnv, platformEnv, commonEnv, type Env, type EnvTable } from '@ranger-relay/runtime';

/** What every service reads beside its own variables when it runs alone. */
export const aloneEnv = {
  ...kafkaEnv,
  KAFKA_BROKERS: { ...kafkaEnv.KAFKA_BROKERS, required: true, about: 'Kafka brokers of the message bus' },
  ...kvEnv,
  KV_HOST: {
    ...kvEnv.KV_HOST,
    about: 'Host of the key-value store (Redis); localhost when neither this nor KV_SENTINELS is set',
  },
  STOP_GRACE_S: commonEnv.STOP_GRACE_S,
} as const satisfies EnvTable;

/** Variables that connecting reads; each service's table has them. */
export type ConnectEnv = Env<typeof kafkaEnv> &
  Env<typeof kvEnv> &
  Env<typeof platformEnv> &
  Pick<Env<typeof commonEnv>, 'HTTP_ALLOWED_NETWORKS' | 'INTEGRATION_EVENTS_TOPIC'> & {
    /** Slug of the integration type whose webhook activity entries name. */
    readonly INTEGRATION_TYPE_SLUG: string;
  };
