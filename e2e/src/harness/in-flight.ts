import { isTaken, unsureLines, type IngestLogLine } from './platform.ts';

/** Processes that can be killed. */
export type VictimKind = 'product' | 'ingester' | 'forwarder';

/** Facts of a kill that explain repeats; times in ms since 1970. */
export interface Loss {
  readonly at: number;
  /** The process had ended. */
  readonly goneAt: number;
  /** Address that its calls came from, when no other has it. */
  readonly address?: string;
  /** The store went back to what it held then: what was delivered since may come again. */
  readonly since?: number;
}

/** One `kill -9`. */
export interface Kill extends Loss {
  readonly victim: VictimKind;
}

/** A kill in words. */
export const tellKill = ({ victim, at }: Kill): string => `${victim} ${new Date(at).toISOString().slice(11, 23)}`;

/** Number of a generated event among those of its source. */
const numberOf = ({ item }: IngestLogLine): number => Number(item.additional['altitude']);

/** Names an item: its kind, source and number. */
export const nameOf = (line: IngestLogLine): string => `${line.kind} ${line.item.source} ${numberOf(line)}`;

/** A mark is asked of an item only when its answer left the platform so long before the kill, ms. */
const markMs = 100;
/** The platform notices a broken connection a little after the process has ended, ms. */
const noticeMs = 50;
/** Where a call is known to be of who was killed, it may learn of it late. */
const lateNoticeMs = 1_000;
/** Delay until the ingest log holds a call that a kill broke, ms. */
const handledMs = 1_000;

const mayBeOf = ({ caller }: IngestLogLine, { address }: Loss): boolean => address === undefined || caller === address;

/**
 * Whether a line's call was in flight when whoever sends to the platform was killed: the kill broke the call (its answer reached nobody), or
 * the answer left so shortly before that its mark need not have been written. Calls from another address than that of who was killed were not.
 */
const wasInFlight = (line: IngestLogLine, kill: Loss): boolean => {
  const { at, answered, answered_at } = line;
  if (!mayBeOf(line, kill)) return false;
  if (answered !== true) return at >= kill.at - markMs && at <= kill.goneAt + handledMs;
  const notice = kill.address === undefined ? noticeMs : lateNoticeMs;
  return answered_at !== null && answered_at >= kill.at - markMs && answered_at <= kill.goneAt + notice;
};

/** Whether a kill explains that the item of a line comes once more. */
type Explains = (line: IngestLogLine, kill: Loss) => boolean;

/** Maximum delay of a sender before it writes a mark, ms. */
const heldUpMs = 5_000;

/** Whether a line was delivered since the snapshot that the store went back to, or before its sender was connected with it again. */
const isForgotten = (line: IngestLogLine, { since = Infinity, goneAt }: Loss): boolean =>
  (line.answered_at ?? line.at) >= since - heldUpMs && line.at <= goneAt + heldUpMs;

const sameSource = ({ kind, item }: IngestLogLine): string => `${kind} ${item.source}`;

/**
 * Whether a line's call was in flight when its sender was killed, or was the last that was answered for its source before. The next call of
 * a source waits for the mark of the one before, so no other mark can be missing, however long a busy machine held the sender up.
 */
const explainedBy = (lines: readonly IngestLogLine[]): Explains => {
  const answered = Map.groupBy(
    lines.filter((line) => isTaken(line) && line.answered === true),
    sameSource,
  );
  const isLast = (line: IngestLogLine, kill: Loss): boolean => {
    const then = line.answered_at ?? Infinity;
    const isLater = (other: IngestLogLine): boolean =>
      mayBeOf(other, kill) &&
      other.answered_at !== null &&
      other.answered_at > then &&
      other.answered_at <= kill.goneAt;
    if (!mayBeOf(line, kill) || then < kill.at - heldUpMs || then > kill.goneAt) return false;
    return !(answered.get(sameSource(line)) ?? []).some(isLater);
  };
  return (line, kill) => wasInFlight(line, kill) || isLast(line, kill) || isForgotten(line, kill);
};

/** Items that were in flight at these kills. */
export const inFlightAt = (lines: readonly IngestLogLine[], kills: readonly Loss[]): number => {
  const explains = explainedBy(lines);
  return kills.reduce((sum, kill) => sum + lines.filter((line) => isTaken(line) && explains(line, kill)).length, 0);
};

/** An item that the platform accepted although it had accepted it before. */
interface Repeat {
  readonly name: string;
  readonly before: IngestLogLine;
  readonly line: IngestLogLine;
}

/** Every acceptance of an item beyond its first, beside the one before it. */
const repeatsOf = (lines: readonly IngestLogLine[]): Repeat[] => {
  const latest = new Map<string, IngestLogLine>();
  const repeats: Repeat[] = [];
  for (const line of lines.filter(isTaken)) {
    const name = nameOf(line);
    const before = latest.get(name);
    if (before) repeats.push({ name, before, line });
    latest.set(name, line);
  }
  return repeats;
};

const time = (ms: number): string => new Date(ms).toISOString();

/** A repeat in words. */
const tell = ({ name, before: { at, answered, answered_at }, line }: Repeat): string =>
  `${name}: ${time(at)} (${answered && answered_at !== null ? `answered ${time(answered_at)}` : 'not answered'}), again ${time(line.at)}`;

/** Repeats of items that no kill found in flight. */
export const unexplainedRepeats = (lines: readonly IngestLogLine[], kills: readonly Loss[]): string[] => {
  const explains = explainedBy(lines);
  const unsure = unsureLines(lines);
  return repeatsOf(lines)
    .filter(({ before }) => !unsure.has(before))
    .filter(({ before, line }) => !kills.some((kill) => kill.at < line.at && explains(before, kill)))
    .map(tell);
};
