/** Options of one broker. */
export interface BrokerConfig {
  readonly dir: string;
  readonly id: number;
  /** Address that it listens on and is reached at. */
  readonly host: string;
  readonly port: number;
  readonly controllerPort: number;
  /** `id@host:port` of every controller. */
  readonly voters: readonly string[];
  readonly replication: number;
  readonly minInSync: number;
  /** Ports of the listeners with TLS, and with TLS and SASL. */
  readonly secure?: { readonly tls: number; readonly sasl: number; readonly folder: string };
  readonly lines?: readonly string[];
  /** More flags of the Java runtime. */
  readonly java?: readonly string[];
}

/** User and password of the SASL listener. */
export const saslUser = { username: 'app', password: 'app-secret' } as const;

const secureLines = ({ folder }: { readonly folder: string }): string[] => [
  'ssl.keystore.type=PEM',
  `ssl.keystore.location=${folder}/chain.pem`,
  'ssl.truststore.type=PEM',
  `ssl.truststore.location=${folder}/ca.crt`,
  'sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN',
  'listener.name.sasl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;',
  `listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_${saslUser.username}="${saslUser.password}";`,
];

/** The properties file of one combined broker and controller. */
export const propertiesOf = (config: BrokerConfig): string => {
  const { dir, id, host, port, controllerPort, voters, replication, minInSync, secure, lines = [] } = config;
  const more = secure ? [`SSL://${host}:${secure.tls}`, `SASL://${host}:${secure.sasl}`] : [];
  return [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `controller.quorum.voters=${voters.join(',')}`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=PLAINTEXT',
    `listeners=${[`PLAINTEXT://${host}:${port}`, `CONTROLLER://127.0.0.1:${controllerPort}`, ...more].join(',')}`,
    `advertised.listeners=${[`PLAINTEXT://${host}:${port}`, ...more].join(',')}`,
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,SASL:SASL_SSL',
    `log.dirs=${dir}/data`,
    'auto.create.topics.enable=false',
    `default.replication.factor=${replication}`,
    `offsets.topic.replication.factor=${replication}`,
    'offsets.topic.num.partitions=4',
    `transaction.state.log.replication.factor=${replication}`,
    'transaction.state.log.min.isr=1',
    'transaction.state.log.num.partitions=2',
    `min.insync.replicas=${minInSync}`,
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=1000',
    'num.network.threads=2',
    'num.io.threads=4',
    // The default of 9 s makes a broker killed with -9 wait for its own old session.
    'broker.session.timeout.ms=2000',
    'broker.heartbeat.interval.ms=250',
    // A broker sends a request to the next controller after this time, 30 s by default; no replica counts as in sync before.
    'controller.socket.timeout.ms=2000',
    'log.cleaner.dedupe.buffer.size=2097152',
    ...(secure ? secureLines(secure) : []),
    ...lines,
    '',
  ].join('\n');
};
