import type { Clock, Logger, MetricName, Metrics, Random } from '@ranger-relay/runtime';
import type { SqliteFile } from '@ranger-relay/sqlite';
import { createDeadLetterWriter } from '../consume/delivery.ts';
import { createGroup, type Group, type Member } from '../consume/group.ts';
import { recentSince, reportLostTo } from '../consume/lost-records.ts';
import {
  canFetch,
  type ConsumeRules,
  type ConsumeSettings,
  lagOf,
  oldestOf,
  type PartitionSource,
  type RunningPartition,
  settingsOf,
  showLag,
  startPartition,
} from '../consume/partition.ts';
import type { Bus, ConsumeOptions, Subscription } from '../port.ts';
import type { Offsets } from './offsets.ts';
import type { Pending } from './pending.ts';
import { endOffset, lastRecords, offsetSince, readPage, recordsBefore, type SlotRef } from './records.ts';
import type { Topics } from './topics.ts';
import type { RecordNotifier } from './record-notifier.ts';

export interface ConsumeDependencies {
  readonly file: SqliteFile;
  readonly topics: Topics;
  readonly offsets: Offsets;
  readonly pending: Pending;
  readonly notifier: RecordNotifier;
  readonly publish: Bus['publish'];
  readonly rules: ConsumeRules;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics<MetricName>;
}

/** The consumers of one file. */
export interface Consumers {
  consume(options: ConsumeOptions): Promise<Subscription>;
  /** Closes every subscription. */
  close(): Promise<void>;
}

const startPauseMs = 1_000;

const sourceOf = (parts: ConsumeDependencies, settings: ConsumeSettings, ref: SlotRef): PartitionSource => ({
  fetch: (request) => readPage(parts.file, ref, request),
  commit: (offset) => parts.offsets.commit(settings.group, ref.slot, offset),
  lag: (done) => parts.pending.lag(settings.group, ref.slot, done),
  failingSince: () => null,
  deadLetter: createDeadLetterWriter(parts, settings),
});

const startSlot = async (
  parts: ConsumeDependencies,
  settings: ConsumeSettings,
  ref: SlotRef,
): Promise<RunningPartition> => {
  const start = (await parts.offsets.get(settings.group, ref.slot)) ?? 0n;
  const running = startPartition({
    ...parts,
    partition: ref.partition,
    start,
    settings,
    source: sourceOf(parts, settings, ref),
  });
  const silence = parts.notifier.listen([ref.slot], running.notify);
  return {
    ...running,
    async stop(deadlineMs) {
      silence();
      await running.stop(deadlineMs);
    },
  };
};

/** Stores the start of a group without offsets; a salvaged file may have lost them. */
const beginGroup = async (
  parts: ConsumeDependencies,
  settings: ConsumeSettings,
  slots: readonly number[],
): Promise<void> => {
  const { file, offsets, clock, log, metrics } = parts;
  const { topic, group, from } = settings;
  const end = await endOffset(file);
  const { newer: newest } = await lastRecords(file, slots, 0);
  const lost = reportLostTo(log, metrics, { topic, group });
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

const subscriptionOf = (
  group: Group<RunningPartition>,
  member: Member<RunningPartition>,
  parts: ConsumeDependencies,
  closed: () => void,
): Subscription => {
  let closing: Promise<void> | undefined;
  const running = (): readonly RunningPartition[] => group.running(member).map(([, work]) => work);
  const close = async (deadlineMs: number): Promise<void> => {
    await group.leave(member, deadlineMs);
    closed();
    await parts.offsets.flush().catch((error: unknown) => {
      parts.log.warn({ err: error }, 'offsets could not be committed at shutdown: records will be redelivered');
    });
  };
  return {
    assigned: () => group.running(member).map(([partition]) => partition),
    ready: () => !closing && group.settled(member) && running().every(canFetch),
    alive: () => parts.file.alive() && running().every((work) => work.alive()),
    oldestPending: () => oldestOf(running()),
    lag: () => lagOf(running()),
    wake: (lane) => {
      for (const work of running()) work.wake(lane);
    },
    close: (deadlineMs = parts.rules.closeMs) => (closing ??= close(deadlineMs)),
  };
};

/** Creates the consumers of one file. Members with the same topic and group share its partitions. */
export const createConsumers = (parts: ConsumeDependencies): Consumers => {
  const groups = new Map<string, Group<RunningPartition>>();
  const open = new Set<Subscription>();

  const groupOf = (settings: ConsumeSettings, partitions: number): Group<RunningPartition> => {
    const id = JSON.stringify([settings.topic, settings.group]);
    const known = groups.get(id);
    if (known) return known;
    const made = createGroup<RunningPartition>(partitions, parts.rules.closeMs, async (error, partition) => {
      parts.log.error({ err: error, topic: settings.topic, partition }, 'a partition did not start or stop; retrying');
      await parts.clock.sleep(startPauseMs);
    });
    groups.set(id, made);
    return made;
  };

  return {
    async consume(options) {
      const settings = settingsOf(options);
      const { slots } = parts.topics.get(settings.topic);
      await beginGroup(parts, settings, slots);
      const group = groupOf(settings, slots.length);
      const member: Member<RunningPartition> = {
        start: (partition) =>
          startSlot(parts, settings, { topic: settings.topic, partition, slot: slots[partition] as number }),
      };
      const subscription = subscriptionOf(group, member, parts, () => open.delete(subscription));
      open.add(subscription);
      showLag(parts.metrics, settings, subscription);
      await group.join(member);
      return subscription;
    },
    async close() {
      await Promise.all([...open].map((subscription) => subscription.close()));
    },
  };
};
