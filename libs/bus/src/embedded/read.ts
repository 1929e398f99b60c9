import type { SqliteFile } from '@ranger-relay/sqlite';
import { decodeDone, type Done, isDone } from '../lanes.ts';
import type { BusRecord, ReadOptions } from '../port.ts';
import type { Offsets } from './offsets.ts';
import { endOffset, readPage, type SlotRef } from './records.ts';
import type { Topics } from './topics.ts';
import type { RecordNotifier } from './record-notifier.ts';

export interface ReadDependencies {
  readonly file: SqliteFile;
  readonly topics: Topics;
  readonly offsets: Offsets;
  readonly notifier: RecordNotifier;
  /** Aborted when the bus closes. */
  readonly closing: AbortSignal;
}

interface Cursor {
  readonly ref: SlotRef;
  next: bigint;
  /** What is left out. */
  readonly done: Done | null;
}

const page = { maxRecords: 500, maxBytes: 4 * 1_048_576 };

const cursorOf = async (parts: ReadDependencies, options: ReadOptions, ref: SlotRef, end: bigint): Promise<Cursor> => {
  const given = options.offsets?.get(ref.partition);
  if (given !== undefined) return { ref, next: given, done: null };
  const from = options.from ?? 'earliest';
  if (from === 'latest') return { ref, next: end, done: null };
  if (from === 'earliest') return { ref, next: 0n, done: null };
  const commit = await parts.offsets.get(from.slice('undone:'.length), ref.slot);
  return { ref, next: commit?.offset ?? 0n, done: decodeDone(commit?.done ?? '') };
};

const cursorsOf = async (
  parts: ReadDependencies,
  options: ReadOptions,
): Promise<{ cursors: Cursor[]; end: bigint }> => {
  const { slots } = parts.topics.get(options.topic);
  const end = await endOffset(parts.file);
  const cursors: Cursor[] = [];
  for (const [partition, slot] of slots.entries()) {
    const ref = { topic: options.topic, partition, slot };
    cursors.push(await cursorOf(parts, options, ref, end));
  }
  return { cursors, end };
};

async function* through(file: SqliteFile, cursor: Cursor, before: bigint | null, signal: AbortSignal) {
  for (let more = true; more && !signal.aborted;) {
    const { records, exhausted } = await readPage(file, cursor.ref, { ...page, from: cursor.next, before });
    for (const record of records) {
      if (signal.aborted) return;
      cursor.next = record.offset + 1n;
      if (!isDone(cursor.done, record)) yield record;
    }
    more = !exhausted;
  }
}

/** A signal that a publish or an abort resolves. */
const signalOf = (parts: ReadDependencies, slots: readonly number[], signal: AbortSignal) => {
  let rung = Promise.withResolvers<void>();
  const ring = (): void => rung.resolve();
  const silence = parts.notifier.listen(slots, ring);
  signal.addEventListener('abort', ring, { once: true });
  return {
    async wait() {
      if (!signal.aborted) await rung.promise;
      rung = Promise.withResolvers<void>();
    },
    silence() {
      silence();
      signal.removeEventListener('abort', ring);
    },
  };
};

async function* follow(parts: ReadDependencies, cursors: readonly Cursor[], signal: AbortSignal) {
  const bell = signalOf(
    parts,
    cursors.map(({ ref }) => ref.slot),
    signal,
  );
  try {
    while (!signal.aborted) {
      for (const cursor of cursors) yield* through(parts.file, cursor, null, signal);
      await bell.wait();
    }
  } finally {
    bell.silence();
  }
}

/** Reads a topic without a group, page by page, from the offsets at the time of the call; aborting ends it without an error. */
export const readTopic = (parts: ReadDependencies, options: ReadOptions): AsyncIterable<BusRecord> => {
  const signal = options.signal ? AbortSignal.any([options.signal, parts.closing]) : parts.closing;
  const starting = cursorsOf(parts, options);
  starting.catch(() => undefined);
  return (async function* () {
    const { cursors, end } = await starting;
    if (options.follow) yield* follow(parts, cursors, signal);
    else for (const cursor of cursors) yield* through(parts.file, cursor, end, signal);
  })();
};
