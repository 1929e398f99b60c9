import type { Ahead, AheadFacts } from '../prefetch/prefetch.ts';
import type { WatchedFile } from '../files/open-file.ts';
import type { FileFindings } from '../findings.ts';
import { parseLine } from '../json/parse-line.ts';
import type { Employee, Mandate, PatrolClass, Station, Transport, Usage } from '../model.ts';
import { References } from '../patrols/references.ts';
import { type KnownRecords, UsageReader } from '../patrols/usage-reader.ts';
import type { Kept } from '../records/members.ts';
import type { ZoneTimestamps } from '../time/timestamp.ts';
import type { Rest } from './read-file.ts';
import type { Source } from './source.ts';

const newline = 10;
const lookBytes = 1024 * 1024;

/** The beginning of a line behind the given share of a file; undefined when there is none near. */
const lineBehind = async (file: WatchedFile, share: number): Promise<number | undefined> => {
  const from = Math.floor(file.size * share);
  const buffer = Buffer.allocUnsafe(lookBytes);
  const count = await file.read(buffer, from);
  const end = buffer.subarray(0, count).indexOf(newline);
  return end < 0 || from + end + 1 >= file.size ? undefined : from + end + 1;
};

/** The records that patrols may refer to. */
interface Referable {
  readonly transports: Kept<Transport>;
  readonly patrolClasses: Kept<PatrolClass>;
  readonly mandates: Kept<Mandate>;
  readonly stations: Kept<Station>;
  readonly employees: Kept<Employee>;
}

const uuidsOf = ({ records }: Kept<{ readonly uuid: string }>): References =>
  new References(records.map(({ uuid }) => uuid));

const knownOf = ({ transports, patrolClasses, mandates, stations, employees }: Referable): KnownRecords => ({
  stations: uuidsOf(stations),
  transports: uuidsOf(transports),
  mandates: uuidsOf(mandates),
  employees: uuidsOf(employees),
  classes: new Set(patrolClasses.records.flatMap(({ key }) => key ?? [])),
});

/** A thread that reads patrols, and the zone that their timestamps are of, under its canonical name. */
export interface PatrolThread {
  readonly ahead: Ahead;
  /** Of the whole file. */
  readonly facts: Promise<AheadFacts | null>;
  readonly zone: string;
}

/** The thread begins a little later, because it starts and hashes the file first. */
const whereBehind = 0.5;

/** The patrols of a bundle while they are read. */
interface Reading {
  readonly source: Source;
  readonly usage: UsageReader;
  readonly known: KnownRecords;
  readonly at: FileFindings;
  /** How many patrols the manifest lists. */
  readonly expected: number;
}

/** Has the second part of the patrols read by a thread. */
const behind =
  ({ source, usage, known, at, expected }: Reading, { ahead, facts, zone }: PatrolThread) =>
  async (file: WatchedFile): Promise<Rest | undefined> => {
    const from = await lineBehind(file, whereBehind);
    if (from === undefined) return undefined;
    const { stations, transports, mandates, employees, classes } = known;
    const reading = ahead.read({
      root: source.root,
      path: at.file,
      from,
      expected: expected * (1 - whereBehind),
      zone,
      known: [stations, transports, mandates, employees].map(({ uuids }) => uuids),
      classes: [...classes],
    });
    return {
      from,
      async facts() {
        const found = await facts;
        return found?.identity === file.identity ? found : null;
      },
      async take(lines) {
        const found = await reading;
        if (found === null || !usage.takeFound(found.usage)) return null;
        for (const { kind, line, text } of found.warnings) at.warn(kind, text, lines + line);
        return found.records;
      },
    };
  };

/** Streams the patrols and keeps what they use; null when their file could not be opened. */
export const readUsage = async (
  source: Source,
  records: Referable,
  timestamps: ZoneTimestamps,
  thread?: PatrolThread,
): Promise<Usage | null> => {
  let reader: UsageReader | undefined;
  await source.lines('patrols', (at, { records: expected }) => {
    const known = knownOf(records);
    const usage = new UsageReader(known, timestamps, at, thread ? expected * whereBehind : expected);
    reader = usage;
    const take = (line: string): void => {
      const patrol = parseLine(line, at);
      if (patrol !== null) usage.take(patrol);
    };
    return thread ? { take, ahead: behind({ source, usage, known, at, expected }, thread) } : { take };
  });
  return reader?.usage() ?? null;
};
