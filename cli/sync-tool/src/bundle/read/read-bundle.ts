import * as machineDisk from 'node:fs/promises';
import { isObject } from '@ranger-relay/errors';
import { defaultWord } from '@ranger-relay/site';
import { checkUsedKeys, checkVocabulary } from '../checks/vocabulary-checks.ts';
import type { Disk } from '../../run/machine.ts';
import { type BundleFolder, type FileFacts, readLines, reasonOf, withFile } from '../files/read-lines.ts';
import { isExported } from '../exported/manifest.ts';
import { readExported } from '../exported/read-exported.ts';
import { describe, FileFindings, Findings, type Noting, quote } from '../findings.ts';
import { type Members, parseLine, parseLineWithCare } from '../json/parse-line.ts';
import {
  type Kind,
  type ListedFile,
  manifestName,
  readManifest,
  type ReadManifest,
  readManifestDocument,
} from '../manifest/read-manifest.ts';
import type { Bundle, Station, Usage } from '../model.ts';
import { type PatrolFormat, type PatrolPlace, PatrolReader } from '../patrols/patrol-reader.ts';
import { type BundleFacts, type Kept, type Part, recordContext, type RecordContext } from '../records/members.ts';
import {
  readAttribute,
  readEmployee,
  readMandate,
  readPatrolClass,
  readStation,
  readTeam,
  readTransport,
} from '../records/read-record.ts';
import { defaultTimezoneVariable, isDate, type ZoneTimestamps } from '../time/time.ts';
import { canonicalUuid } from '../values.ts';
import { legEnds, spanFault } from '../patrols/requirements.ts';

/** Checks that a member is a text; null or missing is valid only when the member is nullable. */
const checkText = (part: Members, name: string, place: PatrolPlace, orNull = false): void => {
  const value = part[name];
  if (typeof value === 'string' || (orNull && (value === null || value === undefined))) return;
  place.complain(name, orNull ? 'a text or null' : 'a text', value);
};

const checkFlag = (part: Members, name: string, place: PatrolPlace): void => {
  if (typeof part[name] !== 'boolean') place.complain(name, 'true or false', part[name]);
};

const isDateIn = (part: Members, name: string): boolean => typeof part[name] === 'string' && isDate(part[name]);

const checkDates = (patrol: Members, place: PatrolPlace): void => {
  const names = ['start_date', 'end_date'].filter((name) => !isDateIn(patrol, name));
  for (const name of names) place.complain(name, 'a date as 2024-03-02', patrol[name]);
  const [start, end] = [String(patrol['start_date']), String(patrol['end_date'])];
  if (names.length === 0 && end < start) place.warn('patrol ended', `end_date ${end} is before start_date ${start}`);
};

/** The local date of a timestamp, or a date. */
const dateIn = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 10) : null);

/** Checks that a uuid is the only one of its kind in the file. */
const createUniqueCheck = () => {
  const lines = new Map<string, number>();
  return (value: unknown, place: PatrolPlace): void => {
    const uuid = typeof value === 'string' ? canonicalUuid(value) : null;
    if (uuid === null) return place.complain('uuid', 'a uuid of 32 hex digits that are not all zero', value);
    const first = lines.get(uuid);
    if (first === undefined) lines.set(uuid, place.line);
    else place.problem(`uuid ${uuid} stands in the file twice, first in line ${first}`);
  };
};

/** Patrols of our own format, of which every member is checked (bundle contract, 2). */
const ownPatrols = (timestamps: ZoneTimestamps): PatrolFormat => {
  const [checkPatrolUuid, checkLegUuid] = [createUniqueCheck(), createUniqueCheck()];
  const timeIn = (value: unknown, member: string, at: Noting): number =>
    value === null || value === undefined ? NaN : timestamps.read(value, member, at);
  return {
    classMember: 'class_key',
    leaderMember: 'is_leader',
    mayLack: false,
    takesUnlisted: false,
    checkPatrol(patrol, place) {
      checkPatrolUuid(patrol['uuid'], place);
      checkText(patrol, 'id', place);
      checkFlag(patrol, 'is_armed', place);
      checkText(patrol, 'objective', place, true);
      checkText(patrol, 'comment', place, true);
      checkDates(patrol, place);
    },
    checkLeg(leg, place) {
      checkLegUuid(leg['uuid'], place);
      checkText(leg, 'id', place);
    },
    checkMember(member, place) {
      checkFlag(member, 'is_leader', place);
      checkFlag(member, 'is_pilot', place);
    },
    answersOf({ attributes }, place) {
      if (isObject(attributes)) return Object.entries(attributes);
      place.problem(`attributes must be an object, it is ${describe(attributes)}`);
      return [];
    },
    timesOf({ starts_at, ends_at }, { start_date, end_date }, place) {
      const [from, to] = [timeIn(starts_at, 'starts_at', place), timeIn(ends_at, 'ends_at', place)];
      const isReversed = to < from;
      if (isReversed) place.warn('leg ended', 'ends_at is before starts_at');
      const leg = { start: dateIn(starts_at), end: dateIn(ends_at) };
      const patrol = { start: dateIn(start_date), end: dateIn(end_date) };
      return {
        isTimed: !Number.isNaN(from) && !Number.isNaN(to),
        fault: isReversed ? legEnds : spanFault(leg, patrol),
      };
    },
  };
};

const openingBrace = 123;

/** Whether a line is blank; blank lines are skipped. */
const isBlankLine = (text: string): boolean => text.charCodeAt(0) !== openingBrace && text.trim() === '';

/** Reads one record; reports problems in the context. */
type ReadRecord<T> = (part: Part, context: RecordContext) => T;

/** Progress of reading. */
export interface ReadProgress {
  /** Path of the current file, as in the manifest. */
  readonly file: string;
  /** Bytes read so far in all files. */
  readonly bytes: number;
  readonly totalBytes: number;
}

/** The files of one bundle during reading. */
class Source {
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

  /** The findings of the file of a kind. */
  findingsOf(kind: Kind): FileFindings {
    return new FileFindings(this.#findings, this.#files.get(kind)?.path ?? `${kind}.jsonl`);
  }

  /** Reads the records of a kind; drops those with problems, so that one problem does not cause others. */
  async records<T>(kind: Kind, read: ReadRecord<T>, facts: BundleFacts): Promise<Kept<T>> {
    const at = this.findingsOf(kind);
    const lines = new Map<T, number>();
    const context = recordContext(at, facts);
    await this.lines(kind, at, (line) => {
      const before = at.problems;
      const members = parseLineWithCare(line, at);
      const record = members && read({ members, where: '' }, context);
      if (record === null || at.problems > before) return;
      lines.set(record, at.line);
    });
    return { at, lines };
  }

  /** Reads the file of a kind once, if there is one, and compares it with its manifest entry; blank lines are skipped. */
  async lines(kind: Kind, at: FileFindings, onLine: (text: string) => void): Promise<void> {
    const file = this.#files.get(kind);
    if (file === undefined) return;
    const problem = (text: string): void => this.#manifest.problem(`${file.path} ${text}`, file.line);
    let records = 0;
    const take = (text: string): void => {
      if (isBlankLine(text)) return;
      records += 1;
      onLine(text);
    };
    await withFile(this.#folder, file.path, problem, async (watched) => {
      const facts = await readLines(watched, at, take, (count) => this.#report(file.path, count));
      if (await watched.isChanged()) problem('was changed while it was read; wait until the export has ended');
      // Unreadable lines do not count as records, and are reported separately.
      else
        for (const text of differencesOf(file, { ...facts, records: at.problems === 0 ? records : file.records }))
          problem(text);
    });
  }

  #report(file: string, count: number): void {
    this.#bytes += count;
    this.#onProgress?.({ file, bytes: this.#bytes, totalBytes: this.#totalBytes });
  }
}

/** How a file differs from its manifest entry. */
const differencesOf = (listed: ListedFile, found: FileFacts & Pick<ListedFile, 'records'>): string[] => {
  const again = 'export or copy it again';
  const differs = (what: 'bytes' | 'records'): string[] =>
    found[what] === listed[what] ? [] : [`has ${found[what]} ${what}, the manifest says ${listed[what]}; ${again}`];
  const hash =
    found.bytes === listed.bytes && found.sha256 !== listed.sha256
      ? [`has the sha256 ${found.sha256}, the manifest says ${listed.sha256}; ${again}`]
      : [];
  return [...differs('bytes'), ...hash, ...differs('records')];
};

/** The options of reading a bundle. */
export interface ReadOptions {
  /** Default: the disk of this machine. */
  readonly disk?: Disk;
  /** The word of the external system in identifiers; default: `ext`. */
  readonly word?: string;
  /** The environment variable of the exporter for the timezone, in messages; default: `EXT_TIMEZONE`. */
  readonly timezoneVariable?: string | undefined;
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

const readInside = async (
  folder: BundleFolder,
  path: string,
  findings: Findings,
  { word = defaultWord, timezoneVariable = defaultTimezoneVariable, onProgress }: ReadOptions,
): Promise<Bundle | null> => {
  const document = await readManifestDocument(folder, new FileFindings(findings, manifestName));
  if (document === null) return null;
  if (isExported(document)) {
    let bytes = 0;
    const onBytes = (file: string, count: number, totalBytes: number): void => {
      bytes += count;
      onProgress?.({ file, bytes, totalBytes });
    };
    return readExported({ folder, path, manifest: document, findings, word, timezoneVariable, onBytes });
  }
  const read = readManifest(path, document, timezoneVariable);
  // The list of files in an invalid manifest is not trusted.
  if (findings.total > 0) return null;
  return readFiles(new Source(folder, read.files, findings, onProgress), read, findings, word);
};

/** A station that patrols use is always offered; another one only when it has a name and is active (bundle contract, 3). */
const offered = (station: Station, { stations }: Usage): Station => {
  const isActive = stations.has(station.uuid) || (station.isActive && station.names.size > 0);
  return { ...station, isActive };
};

const recordsOf = <T>({ lines }: Kept<T>): readonly T[] => [...lines.keys()];

const readFiles = async (
  source: Source,
  { manifest, timestamps }: ReadManifest,
  findings: Findings,
  word: string,
): Promise<Bundle> => {
  const facts: BundleFacts = {
    languages: new Set(manifest.languages.map(({ code }) => code)),
    referenceDate: manifest.exportedAt.slice(0, 10),
    word,
  };
  const kept = {
    transports: await source.records('transports', readTransport, facts),
    patrolClasses: await source.records('patrol_classes', readPatrolClass, facts),
    mandates: await source.records('mandates', readMandate, facts),
    stations: await source.records('stations', readStation, facts),
    attributes: await source.records('patrol_attributes', readAttribute, facts),
    employees: await source.records('employees', readEmployee, facts),
    teams: await source.records('teams', readTeam, facts),
  };
  checkVocabulary(kept);
  const records = {
    transports: recordsOf(kept.transports),
    patrolClasses: recordsOf(kept.patrolClasses),
    mandates: recordsOf(kept.mandates),
    stations: recordsOf(kept.stations),
    attributes: recordsOf(kept.attributes),
    employees: recordsOf(kept.employees),
    teams: recordsOf(kept.teams),
  };
  const at = source.findingsOf('patrols');
  const classes = new Set(records.patrolClasses.flatMap(({ key }) => key ?? []));
  const patrols = new PatrolReader(ownPatrols(timestamps), { ...records, classes }, at);
  await source.lines('patrols', at, (line) => {
    const patrol = parseLine(line, at);
    if (patrol !== null) patrols.take(patrol);
  });
  const { usage, requirements } = patrols.end();
  checkUsedKeys(kept, usage);
  return {
    ...records,
    manifest,
    stations: records.stations.map((station) => offered(station, usage)),
    usage,
    requirements,
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
