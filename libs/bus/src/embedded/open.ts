import { RelayError } from '@ranger-relay/errors';
import {
  type Clock,
  createRateLimitedLog,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
} from '@ranger-relay/runtime';
import { openSqlite, type SqliteFile } from '@ranger-relay/sqlite';
import { createConsumers } from '../consume/consumers.ts';
import { defaultRules, type ConsumeRules } from '../consume/partition.ts';
import type { Bus } from '../port.ts';
import { consumerStorage } from './consume.ts';
import { createOffsets } from './offsets.ts';
import { createPending } from './pending.ts';
import { createPublish } from './publish.ts';
import { readTopic } from './read.ts';
import { lastRecords } from './records.ts';
import { createSweep, sweepRegularly } from './retention.ts';
import { schema } from './schema.ts';
import { loadTopics, type BusTopic } from './topics.ts';
import { createRecordNotifier } from './record-notifier.ts';

/** Options of `openEmbeddedBus`. */
export interface EmbeddedBusOptions {
  /** The file, usually `bus.sqlite` in DATA_DIR. */
  readonly path: string;
  /** The topics; the owner creates those that the file lacks. Consumers that write dead letters need `dead-letters` among them. */
  readonly topics: readonly BusTopic[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics<MetricName>;
  /** `own` (default): the one process that consumes. `look`: another process, which reads and publishes. */
  readonly mode?: 'own' | 'look';
  /** What an operator can do about a damaged file, as the end of a sentence. */
  readonly remedy?: string;
  /** Overrides bounds and waits of consumers. */
  readonly rules?: Partial<ConsumeRules>;
  /** Opens the file; default `openSqlite`. */
  readonly openFile?: typeof openSqlite;
}

/** The bus of one machine. */
export interface EmbeddedBus extends Bus {
  /** Deletes the records that are past their retention and committed by every group; returns their number. Runs every 10 minutes. */
  sweep(): Promise<number>;
}

const versionOf = async (file: SqliteFile): Promise<number> => {
  const [row] = await file.read('PRAGMA data_version');
  return row?.['data_version'] as number;
};

const notHere = (): Promise<never> =>
  Promise.reject(new RelayError('bus_unavailable', { details: { reason: 'it was opened read-only' } }));

/**
 * Opens the bus of one machine: a SQLite file with group commit. A publish resolves after an fsync.
 * @throws RelayError `store_damaged`, `store_full`, `data_dir_unusable`
 */
export const openEmbeddedBus = async (options: EmbeddedBusOptions): Promise<EmbeddedBus> => {
  const { path, clock, log, metrics, random, remedy, mode = 'own', openFile = openSqlite } = options;
  const beside = mode === 'look';
  const onLost = (error: RelayError): void => log.fatal({ err: error }, 'the file of the bus is no longer usable');
  const file = await openFile({ path, schema, beside, clock, onLost, ...(remedy === undefined ? {} : { remedy }) });
  const closing = new AbortController();
  const topics = await loadTopics(file, options.topics, !beside).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  const notifier = createRecordNotifier(clock, () => versionOf(file));
  const offsets = createOffsets(file, clock, log);
  const pending = createPending(file, offsets);
  const publish = createPublish({ file, topics, notifier, clock, metrics });
  const rules = { ...defaultRules, ...options.rules };
  const context = { clock, random, log, metrics };
  const consumers = createConsumers(
    consumerStorage({ file, topics, offsets, pending, notifier, publish, ...context }),
    { groups: new Map(), rules, limitedLog: createRateLimitedLog({ log, clock }), ...context },
  );
  const sweep = createSweep(file, topics, clock);
  const stopSweeping = beside ? () => undefined : sweepRegularly(clock, log, sweep);
  let ended: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    await consumers.close();
    stopSweeping();
    closing.abort();
    notifier.close();
    offsets.close();
    await file.close();
  };

  return {
    publish,
    consume: beside ? notHere : consumers.consume,
    consumeTogether: beside ? notHere : consumers.consumeTogether,
    read: (read) => readTopic({ file, topics, offsets, notifier, closing: closing.signal }, read),
    pending: async (topic, group) => pending.keys(topics.get(topic), group),
    lastRecords: async (topic, time) => lastRecords(file, topics.get(topic).slots, time),
    ready: () => file.alive() && !ended,
    topicProblems: () => [],
    lowLimits: () => [],
    close: () => (ended ??= close()),
    sweep,
  };
};
