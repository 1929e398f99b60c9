import type { BusHistory } from './bus-history.ts';
import { explainedBy, numberOf, repeatsOf, tell } from './in-flight.ts';
import type { Kill, VictimKind } from './killer.ts';
import { isTaken, unsureLines, type IngestLogLine } from './platform.ts';

/** Whether kills explain the repeats that the platform received. */
export interface RepeatReport {
  /** Items in calls to the platform that a kill of a forwarder broke, or answered so shortly before that no mark can be asked of them. */
  readonly inFlightAtKills: number;
  /** Acceptances whose mark a kill of Redis lost and whose item was redelivered because of another kill or a repeated POST. */
  readonly exposedByRedis: number;
  readonly repeatsInFlight: number;
  /** Repeats after an answer that did not say what became of the item. */
  readonly repeatsAmbiguous: number;
  /** Repeats that only the loss of marks explains. */
  readonly repeatsByRedis: number;
  /** Everything else: must be empty. */
  readonly unexplained: readonly string[];
}

/** A forwarder tries to connect again every 600 ms at the latest, and asks a store that failed again after 500 ms: until then no mark is written, ms. */
const storeBackMs = 2_000;
/** How long after a restart partitions are reassigned: a member that lost its session revokes them, a new one gets its share, ms. */
const sharingMs = 20_000;

const of = (kills: readonly Kill[], ...kinds: readonly VictimKind[]): Kill[] =>
  kills.filter(({ victim }) => kinds.includes(victim));

/**
 * Whether an accepted item could come again because a kill of Redis took its mark. It could when its mark was written before Redis was
 * back, and a record of its event that the forwarders had not yet stored as done at that kill was handed out afterwards: another record of
 * the event (a repeated POST), or the same one, because the partition changed hands before its offset was stored: at a kill, and when whoever was killed comes back.
 */
const wasExposed = (line: IngestLogLine, kills: readonly Kill[], history: BusHistory, until = Infinity): boolean => {
  const copies = history.copies(line.item.source, numberOf(line));
  const changesHands = (kill: Kill): boolean => kill.at < until && line.at <= kill.backAt + sharingMs;
  return of(kills, 'redis').some((loss) => {
    if (loss.at >= until || line.at > loss.backAt + storeBackMs) return false;
    const due = copies.filter((copy) => history.due(copy, loss.at));
    if (due.length > 0 && copies.length > 1) return true;
    return of(kills, 'forwarder', 'broker').some(
      (kill) => changesHands(kill) && due.some((copy) => history.due(copy, Math.max(kill.at, line.at))),
    );
  });
};

/** Finds the cause of every item that the platform accepted more than once. */
export const explainRepeats = (
  lines: readonly IngestLogLine[],
  kills: readonly Kill[],
  history: BusHistory,
): RepeatReport => {
  const forwarderKills = of(kills, 'forwarder');
  const explains = explainedBy(lines);
  const broken = (line: IngestLogLine, until: number): boolean =>
    forwarderKills.some((kill) => kill.at < until && explains(line, kill));
  const taken = lines.filter(isTaken);
  const unsure = unsureLines(lines);
  const all = repeatsOf(lines);
  const repeats = all.filter(({ before }) => !unsure.has(before));
  const others = repeats.filter(({ before, line }) => !broken(before, line.at));
  const unexplained = others.filter(({ before, line }) => !wasExposed(before, kills, history, line.at));
  return {
    inFlightAtKills: taken.filter((line) => broken(line, Infinity)).length,
    exposedByRedis: taken.filter((line) => wasExposed(line, kills, history)).length,
    repeatsInFlight: repeats.length - others.length,
    repeatsAmbiguous: all.length - repeats.length,
    repeatsByRedis: others.length - unexplained.length,
    unexplained: unexplained.map((repeat) => {
      const { item } = repeat.line;
      const stored = history.tell(item.source, numberOf(repeat.line), repeat.before.at - 1_000, repeat.line.at + 1_000);
      return `${tell(repeat)} by ${repeat.before.caller} and ${repeat.line.caller}; ${stored}`;
    }),
  };
};
