import { realpath, stat } from 'node:fs/promises';
import { parseLine } from '../json/parse-line.ts';
import type { Bundle, Employee, Mandate, PatrolClass, Station, Transport, Usage } from '../model.ts';
import { type KnownRecords, References, UsageReader } from '../patrols/usage-reader.ts';
import type { Kept } from '../records/members.ts';
import type { ZoneTimestamps } from '../time/time.ts';
import { type ReadProgress, Source } from './source.ts';
import {
  checkAttributeClashes,
  checkClashes,
  checkTransportClasses,
  checkUsedKeys,
} from '../checks/vocabulary-checks.ts';
import { reasonOf } from '../files/read-lines.ts';
import { FileFindings, Findings, quote } from '../findings.ts';
import { manifestName } from '../manifest/manifest-findings.ts';
import { readManifest, type ReadManifest } from '../manifest/read-manifest.ts';
import {
  readAttribute,
  readEmployee,
  readMandate,
  readPatrolClass,
  readStation,
  readTeam,
  readTransport,
} from '../records/read-record.ts';

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
const readUsage = async (source: Source, records: Referable, timestamps: ZoneTimestamps): Promise<Usage | null> => {
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

/** The options of reading a bundle. */
export interface ReadOptions {
  /** Called after each piece of a file. */
  readonly onProgress?: (progress: ReadProgress) => void;
}

const rootOf = async (path: string, at: FileFindings): Promise<string | null> => {
  try {
    const root = await realpath(path);
    if ((await stat(root)).isDirectory()) return root;
    at.problem(`the bundle ${quote(path)} is not a folder; name the folder that holds ${manifestName}`);
  } catch (error) {
    at.problem(`the bundle ${quote(path)} ${reasonOf(error)}; name the folder that holds ${manifestName}`);
  }
  return null;
};

const readInside = async (
  root: string,
  path: string,
  findings: Findings,
  options: ReadOptions,
): Promise<Bundle | null> => {
  const read = await readManifest(root, path, new FileFindings(findings, manifestName));
  // The list of files in an invalid manifest is not trusted.
  if (read === null || findings.total > 0) return null;
  return readFiles(new Source(root, read.files, findings, options.onProgress), read, findings);
};

const readFiles = async (
  source: Source,
  { manifest, timestamps }: ReadManifest,
  findings: Findings,
): Promise<Bundle | null> => {
  const codes = new Set(manifest.languages.map(({ code }) => code));
  const transports = await source.records('transports', readTransport, codes);
  const patrolClasses = await source.records('patrol_classes', readPatrolClass, codes);
  const mandates = await source.records('mandates', readMandate, codes);
  const stations = await source.records('stations', readStation, codes);
  const attributes = await source.records('patrol_attributes', readAttribute, codes);
  const employees = await source.records('employees', readEmployee, codes);
  const teams = await source.records('teams', readTeam, codes);
  checkClashes(findings, transports, patrolClasses, mandates);
  checkAttributeClashes(findings, attributes);
  checkTransportClasses(findings, transports, patrolClasses);
  const referable = { transports, patrolClasses, mandates, stations, employees };
  const usage = await readUsage(source, referable, timestamps);
  if (usage === null) return null;
  checkUsedKeys(findings, usage, transports, patrolClasses, mandates);
  return {
    manifest,
    transports: transports.records,
    patrolClasses: patrolClasses.records,
    mandates: mandates.records,
    stations: stations.records,
    attributes: attributes.records,
    employees: employees.records,
    teams: teams.records,
    usage,
    warnings: findings.warnings,
  };
};

/**
 * Reads and validates a bundle, each file once. Keeps only which records the patrols use, not the patrols (bundle contract, 2 to 6).
 * @param path the folder that contains `manifest.json`
 * @returns the bundle; `warnings` has the irregularities that do not stop the run
 * @throws RelayError `bundle_invalid` with all problems; `problemsOf` lists them
 */
export const readBundle = async (path: string, options: ReadOptions = {}): Promise<Bundle> => {
  const findings = new Findings();
  const root = await rootOf(path, new FileFindings(findings, manifestName));
  const bundle = root === null ? null : await readInside(root, path, findings, options);
  if (bundle === null || findings.total > 0) throw findings.error(path);
  return bundle;
};
