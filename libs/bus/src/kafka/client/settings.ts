/** How to reach the brokers. */
export interface KafkaSettings {
  /** `host:port` of one or more brokers; the others are learnt from them. */
  readonly brokers: readonly string[];
  /** Name of this process in the brokers' logs. */
  readonly clientId: string;
  /** Set for TLS; an empty object trusts the system's authorities. PEM texts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
  /** Put before the names of topics and groups, so that several installations can share brokers. */
  readonly prefix: string;
  /** A member that is silent for so long loses its partitions, ms. */
  readonly sessionTimeoutMs: number;
}

/** Every wait of a client, ms. Each is inside the one around it: a request inside a publish, a publish inside a webhook. */
export const waits = {
  connect: 1_000,
  request: 2_000,
  /** How long a broker may wait for its replicas before it answers a produce request. */
  acks: 1_500,
  /** How long a broker holds a fetch when there is nothing new. */
  fetch: 250,
  /** The same while nobody waits for an answer but news. */
  idleFetch: 1_000,
  metadataAge: 60_000,
  retry: { retries: 1, initialRetryTime: 100, maxRetryTime: 500 },
} as const;
