import { defaultWord } from '@ranger-relay/site';
import * as machineDisk from 'node:fs/promises';
import {
  checkAttributeClashes,
  checkClashes,
  checkTransportClasses,
  checkUsedKeys,
} from '../checks/vocabulary-checks.ts';
import type { Disk } from '../../run/machine.ts';
import {
  type BundleFolder,
  type FileFacts,
  readLines,
  type WatchedFile,
  withFile,
  reasonOf,
} from '../files/read-lines.ts';
import { isExported } from '../exported/manifest.ts';
import { readExported } from '../exported/read-exported.ts';
import { FileFindings, Findings, quote } from '../findings.ts';
import type { ReadDocument } from '../json/document.ts';
import { parseLineWithCare, parseLine } from '../json/parse-line.ts';
import {
  type Kind,
  type ListedFile,
  manifestName,
  readManifest,
  readManifestDocument,
  type ReadManifest,
} from '../manifest/read-manifest.ts';
import type { Bundle, Employee, Mandate, PatrolClass, Station, Transport, Usage } from '../model.ts';
import { RequirementCollector } from '../patrols/requirements.ts';
import { type KnownRecords, References, type RequirementSources, UsageReader } from '../patrols/usage-reader.ts';
import {
  type BundleFacts,
  type Kept,
  noneKept,
  type Part,
  recordContext,
  type RecordContext,
} from '../records/members.ts';
import {
  readAttribute,
  readEmployee,
  readMandate,
  readPatrolClass,
  readStation,
  readTeam,
  readTransport,
} from '../records/read-record.ts';
import { defaultTimezoneVariable, type ZoneTimestamps } from '../time/time.ts';

/** The input of reading one file. */
interface FileReading {
  /** Findings of the file, and those of the manifest, which declares the content of the file. */
  readonly at: FileFindings;
  readonly manifest: FileFindings;
  /** Called with each line that is not blank; `at.line` is its number. */
  readonly onLine: (text: string) => void;
  readonly onBytes: (count: number) => void;
}

const openingBrace = 123;

/** Whether a line is blank; blank lines are skipped. */
const isBlankLine = (text: string): boolean => text.charCodeAt(0) !== openingBrace && text.trim() === '';

const compare = (file: ListedFile, facts: FileFacts, records: number, { at, manifest }: FileReading): void => {
  const { path, line } = file;
  const differs = (what: string, found: number, listed: number) =>
    manifest.problem(`${path} has ${found} ${what}, the manifest says ${listed}; export or copy it again`, line);
  if (facts.bytes !== file.bytes) differs('bytes', facts.bytes, file.bytes);
  else if (facts.sha256 !== file.sha256)
    manifest.problem(
      `${path} has the sha256 ${facts.sha256}, the manifest says ${file.sha256}; export or copy it again`,
      line,
    );
  // Unreadable lines do not count as records, and are reported separately.
  if (at.problems === 0 && records !== file.records) differs('records', records, file.records);
};

const readOpen = async (watched: WatchedFile, file: ListedFile, reading: FileReading): Promise<void> => {
  const { at, manifest, onLine, onBytes } = reading;
  let records = 0;
  const take = (text: string): void => {
    if (isBlankLine(text)) return;
    records += 1;
    onLine(text);
  };
  const facts = await readLines(watched, at, take, onBytes);
  if (await watched.isChanged())
    manifest.problem(`${file.path} was changed while it was read; wait until the export has ended`, file.line);
  else compare(file, facts, records, reading);
};

/** Reads a file of the manifest once and compares it with its manifest entry (bundle contract, 2). */
const readFile = (folder: BundleFolder, file: ListedFile, reading: FileReading): Promise<void> =>
  withFile(
    folder,
    file.path,
    (problem) => reading.manifest.problem(`${file.path} ${problem}`, file.line),
    (watched) => readOpen(watched, file, reading),
  );

/** Reads one record; reports problems in the context. */
type ReadRecord<T> = (part: Part, context: RecordContext) => T;

/** Collects the records of one file; drops records with problems, so that one problem does not cause others. */
class Records<T> {
  readonly kept: Kept<T>;
  readonly #read: ReadRecord<T>;
  readonly #context: RecordContext;

  constructor(read: ReadRecord<T>, at: FileFindings, facts: BundleFacts) {
    this.kept = noneKept(at.file);
    this.#read = read;
    this.#context = recordContext(at, facts);
  }

  /** Reads one line. */
  readonly take = (line: string): void => {
    const { at } = this.#context;
    const before = at.problems;
    const members = parseLineWithCare(line, at);
    if (members === null) return;
    const record = this.#read({ members, where: '' }, this.#context);
    if (at.problems > before) return;
    this.kept.records.push(record);
    this.kept.lines.push(at.line);
  };
}

/** Progress of reading. */
export interface ReadProgress {
  /** Path of the current file, as in the manifest. */
  readonly file: string;
  /** Bytes read so far in all files. */
  readonly bytes: number;
  readonly totalBytes: number;
}

/** The files of one bundle during reading. */
export class Source {
  readonly #folder: BundleFolder;
  readonly #files: ReadonlyMap<Kind, ListedFile>;
  readonly #findings: Findings;
  readonly #manifest: FileFindings;
  readonly #onProgress: ((progress: ReadProgress) => void) | undefined;
  readonly #totalBytes: number;
  #bytes = 0;

  constructor(
    folder: BundleFolder,
    files: readonly ListedFile[],
    findings: Findings,
    onProgress: ((progress: ReadProgress) => void) | undefined,
  ) {
    this.#folder = folder;
    this.#files = new Map(files.map((file) => [file.kind, file]));
    this.#findings = findings;
    this.#manifest = new FileFindings(findings, manifestName);
    this.#onProgress = onProgress;
    this.#totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Reads the records of a kind; empty when the bundle lacks the kind. */
  async records<T>(kind: Kind, read: ReadRecord<T>, facts: BundleFacts): Promise<Kept<T>> {
    let records: Records<T> | undefined;
    await this.lines(kind, (at) => {
      records = new Records(read, at, facts);
      return records.take;
    });
    return records?.kept ?? noneKept(`${kind}.jsonl`);
  }

  /** Reads the file of a kind line by line, if there is one. */
  async lines(kind: Kind, begin: (at: FileFindings) => (line: string) => void): Promise<void> {
    const file = this.#files.get(kind);
    if (file === undefined) return;
    const at = new FileFindings(this.#findings, file.path);
    await readFile(this.#folder, file, {
      at,
      manifest: this.#manifest,
      onLine: begin(at),
      onBytes: (count) => this.#report(file.path, count),
    });
  }

  #report(file: string, count: number): void {
    this.#bytes += count;
    this.#onProgress?.({ file, bytes: this.#bytes, totalBytes: this.#totalBytes });
  }
}

/** The records that patrols may refer to. */
interface Referable {
  readonly transports: Kept<Transport>;
  readonly patrolClasses: Kept<PatrolClass>;
  readonly mandates: Kept<Mandate>;
  readonly stations: Kept<Station>;
  readonly employees: Kept<Employee>;
}

const knownOf = ({ transports, patrolClasses, mandates, stations, employees }: Referable): KnownRecords => ({
  stations: new References(stations.records),
  transports: new References(transports.records),
  mandates: new References(mandates.records),
  employees: new References(employees.records),
  classes: new Set(patrolClasses.records.flatMap(({ key }) => key ?? [])),
});

/** Streams the patrols and keeps which records they use; null when their file could not be opened. */
const readUsage = async (
  source: Source,
  records: Referable,
  timestamps: ZoneTimestamps,
  requirements: RequirementSources | undefined,
): Promise<Usage | null> => {
  let reader: UsageReader | undefined;
  await source.lines('patrols', (at) => {
    const usage = new UsageReader(knownOf(records), timestamps, at, requirements);
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
  /** Default: the disk of this machine. */
  readonly disk?: Disk;
  /** The word of the external system in identifiers; default: `ext`. */
  readonly word?: string;
  /** The environment variable of the exporter for the timezone, in messages; default: `EXT_TIMEZONE`. */
  readonly timezoneVariable?: string | undefined;
  /** Whether to collect what the patrols need on the site, for which their observations are read too. */
  readonly requirements?: boolean;
  /** Called after each piece of a file. */
  readonly onProgress?: (progress: ReadProgress) => void;
}

const openFolder = async (disk: Disk, path: string, at: FileFindings): Promise<BundleFolder | null> => {
  try {
    const root = await disk.realpath(path);
    if ((await disk.stat(root)).isDirectory()) return { disk, root };
    at.problem(`the bundle ${quote(path)} is not a folder; name the folder that holds ${manifestName}`);
  } catch (error) {
    at.problem(`the bundle ${quote(path)} ${reasonOf(error)}; name the folder that holds ${manifestName}`);
  }
  return null;
};

const readExportedInside = (
  folder: BundleFolder,
  path: string,
  manifest: ReadDocument,
  findings: Findings,
  { word = defaultWord, timezoneVariable = defaultTimezoneVariable, requirements = false, onProgress }: ReadOptions,
): Promise<Bundle | null> => {
  let bytes = 0;
  const onBytes = (file: string, count: number, totalBytes: number): void => {
    bytes += count;
    onProgress?.({ file, bytes, totalBytes });
  };
  const collector = requirements ? new RequirementCollector() : undefined;
  return readExported({ folder, path, manifest, findings, word, timezoneVariable, collector, onBytes });
};

const readInside = async (
  folder: BundleFolder,
  path: string,
  findings: Findings,
  options: ReadOptions,
): Promise<Bundle | null> => {
  const document = await readManifestDocument(folder, new FileFindings(findings, manifestName));
  if (document === null) return null;
  if (isExported(document)) return readExportedInside(folder, path, document, findings, options);
  const read = readManifest(path, document, options.timezoneVariable ?? defaultTimezoneVariable);
  // The list of files in an invalid manifest is not trusted.
  if (findings.total > 0) return null;
  const collector = options.requirements ? new RequirementCollector() : undefined;
  const source = new Source(folder, read.files, findings, options.onProgress);
  return readFiles(source, read, findings, options.word ?? defaultWord, collector);
};

/** A station that patrols use is always offered; another one only when it has a name and is active (bundle contract, 3). */
const offered = (station: Station, { stations }: Usage): Station => {
  const isActive = stations.has(station.uuid) || (station.isActive && station.names.size > 0);
  return { ...station, isActive };
};

const readFiles = async (
  source: Source,
  { manifest, timestamps }: ReadManifest,
  findings: Findings,
  word: string,
  collector: RequirementCollector | undefined,
): Promise<Bundle | null> => {
  const facts: BundleFacts = {
    languages: new Set(manifest.languages.map(({ code }) => code)),
    referenceDate: manifest.exportedAt.slice(0, 10),
    word,
  };
  const transports = await source.records('transports', readTransport, facts);
  const patrolClasses = await source.records('patrol_classes', readPatrolClass, facts);
  const mandates = await source.records('mandates', readMandate, facts);
  const stations = await source.records('stations', readStation, facts);
  const attributes = await source.records('patrol_attributes', readAttribute, facts);
  const employees = await source.records('employees', readEmployee, facts);
  const teams = await source.records('teams', readTeam, facts);
  checkClashes(findings, transports, patrolClasses, mandates);
  checkAttributeClashes(findings, attributes);
  checkTransportClasses(findings, transports, patrolClasses);
  const referable = { transports, patrolClasses, mandates, stations, employees };
  const requirements = collector && { collector, attributes: attributes.records };
  const usage = await readUsage(source, referable, timestamps, requirements);
  if (usage === null) return null;
  checkUsedKeys(findings, usage, transports, patrolClasses, mandates);
  return {
    manifest,
    transports: transports.records,
    patrolClasses: patrolClasses.records,
    mandates: mandates.records,
    stations: stations.records.map((station) => offered(station, usage)),
    attributes: attributes.records,
    employees: employees.records,
    teams: teams.records,
    usage,
    requirements: collector?.requirements() ?? null,
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
  const folder = await openFolder(options.disk ?? machineDisk, path, new FileFindings(findings, manifestName));
  const bundle = folder === null ? null : await readInside(folder, path, findings, options);
  if (bundle === null || findings.total > 0) throw findings.error(path);
  return bundle;
};
