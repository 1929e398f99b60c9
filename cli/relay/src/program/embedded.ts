import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { openEmbeddedBus, type Bus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { openEmbeddedKv, type KeyValue } from '@ranger-relay/kv';
import {
  commonEnv,
  createLogger,
  createMetrics,
  kinds,
  metricList,
  parseEnv,
  type Logger,
} from '@ranger-relay/runtime';
import { storePaths } from '../data-dir/paths.ts';
import type { Shell } from './shell.ts';
import type { OpenBus, OpenStores } from './stores.ts';

const storesEnv = {
  DATA_DIR: { kind: kinds.path(), default: '.data', about: 'Directory of everything that is kept' },
  KAFKA_BROKERS: { kind: kinds.text(), about: 'Brokers of a Kafka bus' },
  KV_HOST: { kind: kinds.host(), about: 'Host of the key-value store' },
  INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC,
} as const;

/** Openers of the stores of this machine, for commands that look into them. */
export interface EmbeddedOpeners {
  readonly openBus: OpenBus;
  readonly openStores: OpenStores;
  /** Name of the topic of the activity log. @throws RelayError `config_invalid` */
  readonly activityTopic: () => string;
}

const refuseRemote = (variable: string, value: string | undefined): void => {
  if (value === undefined) return;
  const problem = 'is set, but this version looks into the files of DATA_DIR alone; unset it';
  throw new RelayError('config_invalid', { details: { variable, problem } });
};

const mustExist = async (path: string, dataDir: string): Promise<void> => {
  const file = await stat(path).catch(() => null);
  if (file?.isFile() && file.size > 0) return;
  throw new RelayError('nothing_stored', { details: { path: resolve(dataDir), file: basename(path) } });
};

const openBusAt = async (dataDir: string, activityTopic: string, shell: Shell, log: Logger): Promise<Bus> => {
  const { bus: path } = storePaths(dataDir);
  await mustExist(path, dataDir);
  const catalogue = Object.values({
    ...topics,
    integrationEvents: { ...topics.integrationEvents, name: activityTopic },
  });
  const { clock, random } = shell;
  const metrics = createMetrics(metricList);
  return openEmbeddedBus({ path, topics: catalogue, clock, random, log, metrics, mode: 'look' });
};

const openKvAt = async (dataDir: string, shell: Shell, log: Logger): Promise<KeyValue> => {
  const { kv: path } = storePaths(dataDir);
  await mustExist(path, dataDir);
  return openEmbeddedKv({ path, clock: shell.clock, log, beside: true });
};

/** Makes the openers. The environment is read when one is called; nothing is created on disk. */
export const embeddedOpeners = (shell: Shell): EmbeddedOpeners => {
  const settings = () => parseEnv(storesEnv, shell.env);
  const log = createLogger({ service: 'ranger-relay', level: 'error', write: (line) => shell.err(line.trimEnd()) });

  const openBus: OpenBus = async () => {
    const { DATA_DIR, KAFKA_BROKERS, INTEGRATION_EVENTS_TOPIC } = settings();
    refuseRemote('KAFKA_BROKERS', KAFKA_BROKERS);
    return openBusAt(DATA_DIR, INTEGRATION_EVENTS_TOPIC, shell, log);
  };

  return {
    openBus,
    async openStores() {
      const { DATA_DIR, KV_HOST } = settings();
      refuseRemote('KV_HOST', KV_HOST);
      const bus = await openBus();
      try {
        return { bus, kv: await openKvAt(DATA_DIR, shell, log) };
      } catch (error) {
        await bus.close();
        throw error;
      }
    },
    activityTopic: () => settings().INTEGRATION_EVENTS_TOPIC,
  };
};
