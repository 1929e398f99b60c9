import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { Clock, Logger, MetricName, Metrics, Random } from '@ranger-relay/runtime';
import type { SqliteFile } from '@ranger-relay/sqlite';
import type { ConsumerStorage } from '../consume/consumers.ts';
import { createDeadLetterWriter } from '../consume/delivery.ts';
import { recentSince, reportLostTo } from '../consume/lost-records.ts';
import type { ConsumeSettings } from '../consume/partition.ts';
import { firstCommit, startAfter } from '../consume/commit.ts';
import type { Bus } from '../port.ts';
import type { Offsets } from './offsets.ts';
import type { Pending } from './pending.ts';
import { endOffset, lastRecords, offsetSince, readPage, recordsBefore } from './records.ts';
import type { Topics } from './topics.ts';
import type { RecordNotifier } from './record-notifier.ts';

/** What consuming needs. */
export interface ConsumeDependencies {
  readonly file: SqliteFile;
  readonly topics: Topics;
  readonly offsets: Offsets;
  readonly pending: Pending;
  readonly notifier: RecordNotifier;
  readonly publish: Bus['publish'];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics<MetricName>;
}

/** Stores the start of a group without offsets; a salvaged file may have lost them. */
const beginGroup = async (parts: ConsumeDependencies, settings: ConsumeSettings): Promise<void> => {
  const { file, topics, offsets, clock, log, metrics } = parts;
  const { topic, group, from } = settings;
  const { slots } = topics.get(topic);
  const end = await endOffset(file);
  const { newer: newest } = await lastRecords(file, slots, 0);
  const lost = reportLostTo({ log, metrics }, { topic, group });
  for (const [partition, slot] of slots.entries()) {
    if ((await offsets.get(group, slot)) !== null) continue;
    const startOf = {
      earliest: async () => 0n,
      recent: async () => (await offsetSince(file, slot, recentSince(clock.now(), newest))) ?? end,
      latest: async () => end,
    };
    const start = await startOf[from]();
    await offsets.begin(group, [slot], start);
    if (from !== 'recent') continue;
    const { first, records } = await recordsBefore(file, slot, start);
    lost({ partition, reason: 'no_offsets', from: first, to: start, records });
  }
};

/** What one file keeps for consumers. */
export const consumerStorage = (parts: ConsumeDependencies): ConsumerStorage => {
  const { file, topics, offsets, pending, notifier } = parts;
  const slotOf = (topic: string, partition: number): number => topics.get(topic).slots[partition] as number;
  return {
    partitions: (topic) => topics.get(topic).slots.length,
    begin: (settings) => beginGroup(parts, settings),
    async start(settings, partition) {
      const stored = await offsets.get(settings.group, slotOf(settings.topic, partition));
      return startAfter(stored ?? { ...firstCommit(0n), announced: null }, await endOffset(file), settings);
    },
    source(settings, partition) {
      const { topic, group } = settings;
      const slot = slotOf(topic, partition);
      return {
        fetch: (request) => readPage(file, { topic, partition, slot }, request),
        commit: (commit) => offsets.commit(group, slot, commit),
        async commitNow(commit) {
          offsets.commit(group, slot, commit);
          await offsets.flush().catch((error: unknown) => {
            throw new RelayError('bus_unavailable', { details: { reason: toRelayError(error).message }, cause: error });
          });
          return true;
        },
        owned: () => true,
        lag: () => pending.lag(group, slot),
        failingSince: () => null,
        deadLetter: createDeadLetterWriter(parts, settings),
      };
    },
    listen: (topic, partition, listener) => notifier.listen([slotOf(topic, partition)], listener),
    flush: offsets.flush,
    alive: () => file.alive(),
  };
};
