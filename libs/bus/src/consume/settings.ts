import { type DeadLetterKind, deadLetterKindSchema } from '@ranger-relay/contracts';
import type { Backoff, Clock, Logger, MetricName, Metrics, Random } from '@ranger-relay/runtime';
import type { FetchRequest } from '../lanes.ts';
import type { BusRecord, ConsumeOptions, DeadLetterDraft, Handler } from '../port.ts';

/** A page of records; `exhausted` when nothing lies behind its last one within what was asked for. */
export interface Page {
  readonly records: readonly BusRecord[];
  readonly exhausted: boolean;
}

/** What an adapter does for one partition of one group. */
export interface PartitionSource {
  /** Records from an offset on. */
  fetch(request: FetchRequest): Promise<Page>;
  /** Everything before `offset` is done; stored soon, at the latest when the subscription closes. */
  commit(offset: bigint): void;
  /** Resolves when the dead letter is durable. */
  deadLetter(record: BusRecord, letter: DeadLetterDraft, attempts: number): Promise<void>;
  /** How many records lie at the offset up to which all is done, and behind it, fetched or not. */
  lag(done: () => bigint): Promise<number>;
  /** Since when records cannot be fetched although no fetch has failed yet, or none is open, monotonic ms; null while they can. */
  failingSince(): number | null;
}

/** What a running partition needs beside its source. */
export interface PartitionDependencies {
  readonly partition: number;
  readonly start: bigint;
  readonly settings: ConsumeSettings;
  readonly rules: ConsumeRules;
  readonly source: PartitionSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics<MetricName>;
}

/** What a consumer works with: its options with the defaults filled in. */
export interface ConsumeSettings {
  readonly topic: string;
  readonly group: string;
  readonly handle: Handler;
  readonly lane: ((record: Pick<BusRecord, 'key' | 'headers' | 'value'>) => string) | null;
  readonly from: 'recent' | 'earliest' | 'latest';
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  /** Null for the bound of the adapter. */
  readonly maxAhead: number | null;
  /** Null for the bound of the adapter. */
  readonly maxRunning: number | null;
  readonly deleteDone: boolean;
  readonly maxThrows: number;
  readonly deadLetterKind: DeadLetterKind;
}

/** Rules of every consumer of one adapter. */
export interface ConsumeRules {
  /** Lanes of one partition whose handlers run at the same time. */
  readonly maxRunning: number;
  /** Records that a partition may run ahead of its slowest lane, unless the consumer says otherwise. */
  readonly maxAhead: number;
  /** Wait between two tries of a throwing handler. */
  readonly throwBackoff: Backoff;
  /** How long closing and handing over wait for running handlers, ms. */
  readonly closeMs: number;
}

export const defaultRules: ConsumeRules = {
  maxRunning: 16,
  maxAhead: 50_000,
  throwBackoff: { baseMs: 200, maxMs: 10_000, jitterMs: 100 },
  closeMs: 10_000,
};

/** Fills in what a consumer left out. */
export const settingsOf = (options: ConsumeOptions): ConsumeSettings => {
  const kind = deadLetterKindSchema.safeParse(options.deadLetterKind);
  return {
    topic: options.topic,
    group: options.group,
    handle: options.handle,
    lane: options.lane ?? null,
    from: options.from ?? 'recent',
    maxBatch: Math.max(1, options.maxBatch ?? 500),
    maxBatchBytes: Math.max(1, options.maxBatchBytes ?? 4 * 1_048_576),
    maxAhead: options.maxAhead === undefined ? null : Math.max(1, options.maxAhead),
    maxRunning: options.maxRunning === undefined ? null : Math.max(1, options.maxRunning),
    deleteDone: options.deleteDone ?? false,
    maxThrows: Math.max(1, options.maxThrows ?? 5),
    deadLetterKind: kind.success ? kind.data : 'observation',
  };
};
