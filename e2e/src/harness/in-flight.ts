import type { Kill } from './killer.ts';
import { isTaken, type DoorLine } from './platform.ts';

/** Number of a generated event among those of its source. */
export const numberOf = ({ item }: DoorLine): number => Number(item.additional['altitude']);

/** Names an item: its kind, source and number. */
export const nameOf = (line: DoorLine): string => `${line.kind} ${line.item.source} ${numberOf(line)}`;

/** A mark is asked of an item only when its answer left the platform so long before the kill, ms. */
const markMs = 100;
/** The platform learns of a broken connection a little after the process has ended, ms. */
const noticeMs = 50;
/** A call that a kill broke is written down at the door when the platform has handled it, ms. */
const handledMs = 1_000;

/**
 * Whether a line's call was in flight when whoever sends to the platform was killed: the kill broke the call (its answer reached nobody), or
 * the answer left so shortly before that its mark need not have been written.
 */
export const wasInFlight = ({ at, answered, answered_at }: DoorLine, kill: Pick<Kill, 'at' | 'goneAt'>): boolean =>
  answered === true
    ? answered_at !== null && answered_at >= kill.at - markMs && answered_at <= kill.goneAt + noticeMs
    : at >= kill.at - markMs && at <= kill.goneAt + handledMs;

/** Items that were in flight at these kills. */
export const inFlightAt = (lines: readonly DoorLine[], kills: readonly Pick<Kill, 'at' | 'goneAt'>[]): number =>
  kills.reduce((sum, kill) => sum + lines.filter((line) => isTaken(line) && wasInFlight(line, kill)).length, 0);

/** An item that the platform accepted although it had accepted it before. */
export interface Repeat {
  readonly name: string;
  readonly before: DoorLine;
  readonly line: DoorLine;
}

/** Every acceptance of an item beyond its first, beside the one before it. */
export const repeatsOf = (lines: readonly DoorLine[]): Repeat[] => {
  const latest = new Map<string, DoorLine>();
  const repeats: Repeat[] = [];
  for (const line of lines.filter(isTaken)) {
    const name = nameOf(line);
    const before = latest.get(name);
    if (before) repeats.push({ name, before, line });
    latest.set(name, line);
  }
  return repeats;
};

/** A repeat in words. */
export const tell = ({ name, before, line }: Repeat): string =>
  `${name}: ${new Date(before.at).toISOString()} (answered: ${before.answered}), again ${new Date(line.at).toISOString()}`;

/** Repeats of items that no kill found in flight. */
export const unexplainedRepeats = (
  lines: readonly DoorLine[],
  kills: readonly Pick<Kill, 'at' | 'goneAt'>[],
): string[] =>
  repeatsOf(lines)
    .filter(({ before, line }) => !kills.some((kill) => kill.at < line.at && wasInFlight(before, kill)))
    .map(tell);
