import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeCertificates } from '../certificates.ts';
import { until } from '../until.ts';
import { propertiesOf, saslUser, type BrokerConfig } from './config.ts';
import { java } from './install.ts';

/** One broker, its data kept in its directory over restarts. */
export interface Broker {
  readonly address: string;
  readonly config: BrokerConfig;
  start(): Promise<void>;
  /** Ends it in order; by force when it takes too long. */
  stop(): Promise<'by itself' | 'by force'>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** Hangs it: sockets stay open, nothing is answered. */
  pause(): void;
  resume(): void;
  running(): boolean;
  log(): string;
}

const call = promisify(execFile);
const clusterId = 'MkU3OEVBNTcwNTJENDM2Qg';
const startMs = 60_000;
const stopMs = 10_000;

const format = async (config: BrokerConfig, properties: string): Promise<void> => {
  if (existsSync(join(config.dir, 'data/meta.properties'))) return;
  const { username, password } = saslUser;
  const scram = config.secure ? ['--add-scram', `SCRAM-SHA-512=[name=${username},password=${password}]`] : [];
  const args = ['format', '-t', clusterId, '-c', properties, ...scram];
  await call('java', java('warn', [], 'kafka.tools.StorageTool', ...args)).catch((error: unknown) => {
    throw new Error(`the broker's storage could not be formatted: ${String(error)}`, { cause: error });
  });
};

const gone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Makes a broker; it runs after `start`. */
export const makeBroker = (config: BrokerConfig): Broker => {
  const logFile = join(config.dir, 'broker.log');
  let child: ChildProcess | undefined;

  const end = async (signal: NodeJS.Signals): Promise<'by itself' | 'by force'> => {
    if (!child || gone(child)) return 'by itself';
    const ended = once(child, 'exit');
    child.kill(signal);
    // The last broker of a cluster has no quorum to say good-bye to and would wait for ever.
    const giveUp = setTimeout(() => child?.kill('SIGKILL'), stopMs);
    await ended;
    clearTimeout(giveUp);
    return child.signalCode === 'SIGKILL' ? 'by force' : 'by itself';
  };

  return {
    address: `${config.host}:${config.port}`,
    config,
    async start() {
      mkdirSync(config.dir, { recursive: true });
      const properties = join(config.dir, 'server.properties');
      if (config.secure) makeCertificates(config.secure.folder, config.host);
      writeFileSync(properties, propertiesOf(config));
      await format(config, properties);
      const log = openSync(logFile, 'w');
      child = spawn('java', java('info', config.java ?? [], 'kafka.Kafka', properties), {
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      const started = child;
      // Nothing outlives the run, not even one that fails.
      const sweep = (): void => void started.kill('SIGKILL');
      process.once('exit', sweep);
      started.once('exit', () => process.off('exit', sweep));
      await until(
        `the broker at ${config.port} is ready`,
        () => {
          const text = readFileSync(logFile, 'utf8');
          if (gone(started)) throw new Error(`the broker ended:\n${text.slice(-3_000)}`);
          return text.includes('Kafka Server started');
        },
        startMs,
      );
    },
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL');
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    running: () => child !== undefined && !gone(child),
    log: () => readFileSync(logFile, 'utf8'),
  };
};
