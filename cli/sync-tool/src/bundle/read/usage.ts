import { parseLine } from '../json/parse-line.ts';
import type { Employee, Mandate, PatrolClass, Station, Transport, Usage } from '../model.ts';
import { References, type KnownRecords, UsageReader } from '../patrols/usage-reader.ts';
import type { Kept } from '../records/members.ts';
import type { ZoneTimestamps } from '../time/timestamp.ts';
import type { Source } from './source.ts';

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

/** Streams the patrols and keeps which records they use; null when their file could not be opened. */
export const readUsage = async (
  source: Source,
  records: Referable,
  timestamps: ZoneTimestamps,
): Promise<Usage | null> => {
  let reader: UsageReader | undefined;
  await source.lines('patrols', (at) => {
    const usage = new UsageReader(knownOf(records), timestamps, at);
    reader = usage;
    return (line) => {
      const patrol = parseLine(line, at);
      if (patrol !== null) usage.take(patrol);
    };
  });
  return reader?.usage() ?? null;
};
