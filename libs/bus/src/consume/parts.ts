import type { Clock, Logger, MetricName, Metrics, Random } from '@ranger-relay/runtime';
import type { FetchRequest } from '../lanes.ts';
import type { BusRecord, DeadLetterDraft } from '../port.ts';
import type { ConsumeRules, ConsumeSettings } from './settings.ts';

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
  bury(record: BusRecord, letter: DeadLetterDraft, attempts: number): Promise<void>;
  /** How many records lie at the offset up to which all is done, and behind it, fetched or not. */
  lag(done: () => bigint): Promise<number>;
  /** Since when records cannot be fetched although no fetch has failed yet, or none is open, monotonic ms; null while they can. */
  failingSince(): number | null;
}

/** What a running partition needs beside its source. */
export interface PartitionParts {
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
