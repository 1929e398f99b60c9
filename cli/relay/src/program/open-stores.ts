import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { type Bus, openEmbeddedBus } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import { type KeyValue, openEmbeddedKv } from '@ranger-relay/kv';
import { encryptedConfig } from '@ranger-relay/platform';
import {
  commonEnv,
  conditionSpec,
  createLogger,
  createMetrics,
  type Env,
  envHelp,
  type EnvTable,
  kafkaEnv,
  kinds,
  kvEnv,
  type Logger,
  metricList,
  parseEnv,
  platformEnv,
} from '@ranger-relay/runtime';
import { topicsOf } from '@ranger-relay/service';
import type { Shell } from '@ranger-relay/terminal';
import type { Command } from 'commander';
import { storePaths } from '../data-dir/files.ts';
import { isLocked } from '../data-dir/lock.ts';
import { readMarker } from '../data-dir/marker.ts';
import { platformSecretName, readSecret } from '../data-dir/secrets.ts';
import type { OpenBus, StoreOpeners } from './stores.ts';

/**
 * The store as the services see it: configurations are decrypted with the client secret, or that of the simulated platform in DATA_DIR.
 * Reading one that cannot be decrypted rejects with RelayError `config_invalid`, for a command must not go on without what is there.
 */
const decryptedKv = async (
  kv: KeyValue,
  { PLATFORM_CLIENT_SECRET, PLATFORM_CLIENT_SECRET_PREVIOUS: previousSecret, DATA_DIR }: StoresEnv,
): Promise<KeyValue> => {
  const secret = PLATFORM_CLIENT_SECRET ?? (await readSecret(resolve(DATA_DIR), platformSecretName));
  const onUnreadable = (): never => {
    const problem =
      secret === undefined
        ? 'is not set, and configuration in the store is encrypted with it; set the value that the services use'
        : 'is not the one with which configuration in the store is encrypted; set the value that the services use, and after a rotation PLATFORM_CLIENT_SECRET_PREVIOUS too';
    throw new RelayError('config_invalid', { details: { variable: 'PLATFORM_CLIENT_SECRET', problem } });
  };
  return { ...kv, config: encryptedConfig({ kv, clientSecret: secret ?? '', previousSecret, onUnreadable }) };
};

/** Where an installation on one machine keeps everything. */
export const dataDirEnv = {
  DATA_DIR: { kind: kinds.path(), default: '.data', description: 'Directory of everything that is kept' },
} as const;

const storesEnv = {
  ...dataDirEnv,
  ...kafkaEnv,
  ...kvEnv,
  PLATFORM_CLIENT_SECRET: platformEnv.PLATFORM_CLIENT_SECRET,
  PLATFORM_CLIENT_SECRET_PREVIOUS: platformEnv.PLATFORM_CLIENT_SECRET_PREVIOUS,
  INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC,
} as const;

type StoresEnv = Env<typeof storesEnv>;

/** Help about the variables that name bus and store, and about those that a command reads besides. */
export const storesHelp = (more: EnvTable = {}): string => {
  const { DATA_DIR, KAFKA_BROKERS, KV_HOST } = storesEnv;
  return `\nEnvironment (the others of Kafka and Redis: \`ranger-relay up --help\`):\n${envHelp({ DATA_DIR, KAFKA_BROKERS, KV_HOST, ...more })}`;
};

/** Adds it to a command that opens bus and store, and to those below it. */
export const withStoresHelp = (command: Command): Command => {
  for (const each of [command, ...command.commands]) each.addHelpText('after', storesHelp());
  return command;
};

/** @param since the member of the marker that tells of the file: an `up` on a cluster has none open */
const mustExist = async (path: string, dataDir: string, since: 'bus_since' | 'kv_since'): Promise<void> => {
  const file = await stat(path).catch(() => null);
  if (file?.isFile() && file.size > 0) return;
  const details = { path: resolve(dataDir), file: basename(path) };
  const isOpen = isLocked(details.path) && (await readMarker(details.path))?.[since];
  if (!isOpen) throw new RelayError('nothing_stored', { details });
  const { remedy } = conditionSpec('file_replaced');
  throw new RelayError('store_removed', { details: { ...details, remedy } });
};

const readyMs = 5_000;
const lookMs = 50;

const untilReady = async (isReady: () => boolean, problem: () => string | null, shell: Shell): Promise<void> => {
  const end = shell.clock.monotonic() + readyMs;
  while (!isReady()) {
    if (shell.clock.monotonic() > end)
      throw new RelayError('bus_unavailable', { details: { reason: problem() ?? 'the brokers do not answer' } });
    await shell.clock.sleep(lookMs);
  }
};

const openKafka = async (env: StoresEnv, shell: Shell, log: Logger): Promise<Bus> => {
  const { clock, random } = shell;
  const { kafkaSettings, openKafkaBus } = await import('@ranger-relay/bus/kafka');
  const settings = kafkaSettings(env, 'ranger-relay');
  const bus = openKafkaBus({ settings, topics: topicsOf(env), clock, random, log, metrics: createMetrics(metricList) });
  try {
    await untilReady(bus.ready, bus.problem, shell);
    return bus;
  } catch (error) {
    await bus.close();
    throw error;
  }
};

const openBusFile = async (env: StoresEnv, shell: Shell, log: Logger): Promise<Bus> => {
  const { bus: path } = storePaths(env.DATA_DIR);
  await mustExist(path, env.DATA_DIR, 'bus_since');
  const { clock, random } = shell;
  const metrics = createMetrics(metricList);
  return openEmbeddedBus({ path, topics: topicsOf(env), clock, random, log, metrics, mode: 'look' });
};

const openKvFile = async ({ DATA_DIR }: StoresEnv, shell: Shell, log: Logger): Promise<KeyValue> => {
  const { kv: path } = storePaths(DATA_DIR);
  await mustExist(path, DATA_DIR, 'kv_since');
  return openEmbeddedKv({ path, clock: shell.clock, log, beside: true });
};

const openStore = async (env: StoresEnv, shell: Shell, log: Logger): Promise<KeyValue> => {
  if (env.KV_HOST === undefined && env.KV_SENTINELS === undefined) return openKvFile(env, shell, log);
  const { openRedisKv, redisSettings } = await import('@ranger-relay/kv/redis');
  return openRedisKv({ settings: redisSettings(env), clock: shell.clock, random: shell.random, log });
};

const openKv = async (env: StoresEnv, shell: Shell, log: Logger): Promise<KeyValue> =>
  decryptedKv(await openStore(env, shell, log), env);

/** Makes the openers. The environment is read when one is called; nothing is created on disk. */
export const storeOpeners = (shell: Shell): StoreOpeners => {
  const settings = () => parseEnv(storesEnv, shell.env);
  const log = createLogger({ service: 'ranger-relay', level: 'silent', write: (line) => shell.err(line.trimEnd()) });

  const openBus: OpenBus = async () => {
    const env = settings();
    return env.KAFKA_BROKERS ? openKafka(env, shell, log) : openBusFile(env, shell, log);
  };

  return {
    openBus,
    openKv: async () => openKv(settings(), shell, log),
    async openStores() {
      const env = settings();
      const bus = await openBus();
      try {
        return { bus, kv: await openKv(env, shell, log) };
      } catch (error) {
        await bus.close();
        throw error;
      }
    },
    isRemote: () => settings().KAFKA_BROKERS !== undefined,
    dataDir: () => resolve(settings().DATA_DIR),
    sender() {
      const { KAFKA_BROKERS, DATA_DIR } = settings();
      if (KAFKA_BROKERS !== undefined) return 'services';
      return isLocked(resolve(DATA_DIR)) ? 'up' : 'nobody';
    },
    async busSince() {
      const { KAFKA_BROKERS, DATA_DIR } = settings();
      return KAFKA_BROKERS === undefined ? ((await readMarker(resolve(DATA_DIR)))?.bus_since ?? null) : null;
    },
    activityTopic: () => settings().INTEGRATION_EVENTS_TOPIC,
  };
};
