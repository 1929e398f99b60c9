import type { RelayError } from '@ranger-relay/errors';
import { createRateLimitedLog } from '@ranger-relay/runtime';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import type { BusRecord, ConsumeOptions, Outcome } from '../../port.ts';
import { defaultRules, type PartitionSource, settingsOf, startPartition } from '../partition.ts';

/** A record whose value is its offset. */
export const recordAt = (offset: number): BusRecord => ({
  topic: 'topic',
  partition: 0,
  offset: BigInt(offset),
  key: 'k',
  value: Buffer.from(String(offset)),
  headers: {},
  timestamp: 1_000 + offset,
});

interface Faults {
  fetch?: RelayError;
  deadLetter?: RelayError;
  store?: RelayError;
  maybeSentBelow?: bigint;
  /** Another member has the partition. */
  lost?: boolean;
  failingSince?: number | null;
}

/** A partition of `count` records with a source in memory whose faults can be switched. */
export const start = (
  count: number,
  handle: ConsumeOptions['handle'],
  options: Partial<ConsumeOptions> = {},
  faults: Faults = {},
) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const context = testContext({ clock, log });
  const deadLettered: string[] = [];
  const commits: bigint[] = [];
  const announced: bigint[] = [];
  const records = Array.from({ length: count }, (_, i) => recordAt(i));
  const source: PartitionSource = {
    async fetch({ from, before, maxRecords }) {
      if (faults.fetch) throw faults.fetch;
      const all = records.filter(({ offset }) => offset >= from && (before === null || offset < before));
      return { records: all.slice(0, maxRecords), exhausted: all.length <= maxRecords };
    },
    commit: (commit) => void (commits.push(commit.offset), announced.push(commit.announced)),
    async commitNow(commit) {
      if (faults.store) throw faults.store;
      commits.push(commit.offset);
      announced.push(commit.announced);
      return !faults.lost;
    },
    owned: () => !faults.lost,
    lag: async (done) => records.filter(({ offset }) => offset >= done()).length,
    failingSince: () => faults.failingSince ?? null,
    async deadLetter(record, { reason }, attempts) {
      if (faults.deadLetter) throw faults.deadLetter;
      deadLettered.push(`${record.offset} ${reason} ${attempts}`);
    },
  };
  const partition = startPartition({
    ...context,
    limitedLog: createRateLimitedLog(context),
    partition: 0,
    start: { offset: 0n, maybeSentBelow: faults.maybeSentBelow ?? 0n, done: null },
    settings: settingsOf({ topic: 'topic', group: 'group', handle, ...options }),
    rules: { ...defaultRules, throwBackoff: { baseMs: 100, maxMs: 1_000, jitterMs: 0 } },
    source,
  });
  return {
    clock,
    faults,
    source,
    deadLettered,
    commits,
    announced,
    lines,
    partition,
    records,
    metrics: context.metrics,
  };
};

/** Outcomes of `n` records that are done. */
export const done = (n: number): Outcome[] => Array.from({ length: n }, () => ({ kind: 'done' }));
