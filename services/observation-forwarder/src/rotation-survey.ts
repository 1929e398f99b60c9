import type { Bus, BusRecord, OutgoingRecord, ReadOptions } from '@ranger-relay/bus';

/** Headers of a record that was appended again: by which rotation, and from where, `<partition>:<offset>`. */
const tokenHeader = 'rotated';
const fromHeader = 'rotated-from';

/** The copy of a parked record that goes to the end of its topic. */
export const copyOf = ({ key, value, headers, partition, offset }: BusRecord, token: string): OutgoingRecord => ({
  key,
  value,
  headers: { ...headers, [tokenHeader]: token, [fromHeader]: `${partition}:${offset}` },
});

/** Whether a record was appended by this rotation. */
export const carries = ({ headers }: BusRecord, token: string): boolean => headers[tokenHeader] === token;

/** What was moved of one integration, as the topic shows it. */
export interface Moved {
  /** The rotation that got furthest. */
  readonly token: string;
  /** Where its copies begin. */
  readonly first: bigint;
  /** Offsets of the records that have a copy further on: nothing is lost with them. */
  readonly copied: ReadonlySet<bigint>;
  /** Records before the copies have none yet. */
  readonly unfinished: boolean;
}

interface Trace {
  readonly first: bigint;
  /** Last record of the integration before the copies. */
  readonly before: bigint | null;
  /** Furthest record that has a copy. */
  through: bigint;
}

/** What was read of one integration so far. */
interface Found {
  last: bigint | null;
  readonly traces: Map<string, Trace>;
  readonly copied: Set<bigint>;
}

/** Where a copy was taken from; null for a record that is none, or that comes from elsewhere. */
const originOf = ({ headers, partition, offset }: BusRecord): bigint | null => {
  const [, from, at] = /^(\d+):(\d+)$/.exec(headers[fromHeader] ?? '') ?? [];
  if (from === undefined || at === undefined || Number(from) !== partition || BigInt(at) >= offset) return null;
  return BigInt(at);
};

const note = (found: Found, { headers, offset }: BusRecord, origin: bigint | null): void => {
  const token = headers[tokenHeader];
  if (token !== undefined && origin !== null) {
    const trace = found.traces.get(token) ?? { first: offset, before: found.last, through: origin };
    if (origin > trace.through) trace.through = origin;
    found.traces.set(token, trace);
    found.copied.add(origin);
  }
  found.last = offset;
};

/** Stray copies of an older rotation do not get further: they were taken from before. */
const furthest = ({ traces, copied }: Found): Moved | undefined => {
  const [best] = [...traces].sort(([, a], [, b]) => (a.through > b.through ? -1 : 1));
  if (!best) return undefined;
  const [token, { first, before }] = best;
  return { token, first, copied, unfinished: before !== null && !copied.has(before) };
};

/** Reads the parked topic for copies and returns, by key, what was moved. */
export const surveyRotations = async (bus: Bus, options: ReadOptions): Promise<ReadonlyMap<string, Moved>> => {
  const all = new Map<string, Found>();
  for await (const record of bus.read(options)) {
    const found = all.get(record.key) ?? { last: null, traces: new Map<string, Trace>(), copied: new Set<bigint>() };
    all.set(record.key, found);
    note(found, record, originOf(record));
  }
  return new Map(
    [...all].flatMap(([key, found]) => {
      const moved = furthest(found);
      return moved ? [[key, moved] as const] : [];
    }),
  );
};
