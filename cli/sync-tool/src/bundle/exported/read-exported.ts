import { createHash } from 'node:crypto';
import { isObject } from '@ranger-relay/errors';
import { dashedId } from '@ranger-relay/site';
import {
  type BundleFolder,
  isWide,
  markBytes,
  readPieces,
  type WatchedFile,
  wideProblem,
  withFile,
} from '../files/read-lines.ts';
import { FileFindings, type Findings } from '../findings.ts';
import { readDocument, type ReadDocument } from '../json/document.ts';
import type { Bundle, Employee, Station, Usage } from '../model.ts';
import {
  type PatrolFormat,
  type PatrolPlace,
  PatrolReader,
  type PatrolSources,
  type ReadPatrols,
} from '../patrols/patrol-reader.ts';
import type { BundleFacts } from '../records/members.ts';
import { compareCounts, readExportedManifest } from './manifest.ts';
import { DocumentFault, ListScanner } from './list-scanner.ts';
import { readReference, type Reference } from './reference.ts';
import { type Members, parseLine } from '../json/parse-line.ts';
import { type RequirementCollector, spanFault } from '../patrols/requirements.ts';

const textIn = (object: Members, name: string): string | null => {
  const value = object[name];
  return typeof value === 'string' ? value : null;
};

const spanOf = (object: Members) => ({ start: textIn(object, 'start_date'), end: textIn(object, 'end_date') });

const requireMembers = (object: Members, names: readonly string[], place: PatrolPlace): void => {
  for (const name of names) if (object[name] === undefined) place.problem(`${name} is missing`);
};

const listIn = (object: unknown, name: string): readonly unknown[] => {
  const value = isObject(object) ? object[name] : undefined;
  return Array.isArray(value) ? (value as unknown[]) : [];
};

/** Patrols of the exporter, of which only what is used is checked (contract of the exported bundle, 6). */
const format: PatrolFormat = {
  classMember: 'patrol_type',
  leaderMember: 'leader',
  mayLack: true,
  takesUnlisted: true,
  checkPatrol: (patrol, place) => requireMembers(patrol, ['station_uuid', 'team_uuid'], place),
  checkLeg: (leg, place) => requireMembers(leg, ['transport_uuid', 'mandate_uuid'], place),
  checkMember: () => undefined,
  // What is no list of values belongs to the import.
  answersOf: (patrol) =>
    listIn(patrol, 'attributes').flatMap((each) => {
      const key = isObject(each) ? textIn(each, 'key') : null;
      return isObject(each) && key !== null ? [[key, each['value']] as const] : [];
    }),
  timesOf: (leg, patrol) => ({
    isTimed: true,
    fault: leg['placeholder_dates'] === true ? null : spanFault(spanOf(leg), spanOf(patrol)),
  }),
};

/** Collects what the events of a patrol need: the types of its observations, and a type for those of one waypoint. */
const needEvents = (patrol: Members, collector: RequirementCollector): void => {
  for (const waypoint of listIn(patrol, 'legs').flatMap((leg) => listIn(leg, 'waypoints'))) {
    const observations = listIn(waypoint, 'observation_groups').flatMap((group) => listIn(group, 'observations'));
    for (const observation of observations) {
      const category = isObject(observation) ? textIn(observation, 'category_hkey') : null;
      if (category !== null) collector.need('event_type', category);
    }
    if (observations.length > 1) collector.need('collection', '');
  }
};

/** Streams `patrols.json`, one patrol at a time, and keeps which records the patrols use and what they need. */
class ExportedPatrols {
  readonly #at: FileFindings;
  readonly #reader: PatrolReader;
  readonly #scanner: ListScanner;
  #count = 0;
  #isBegun = false;

  constructor(sources: PatrolSources, at: FileFindings) {
    this.#at = at;
    at.list = 'patrols';
    at.line = 0;
    this.#reader = new PatrolReader(format, sources, at);
    this.#scanner = new ListScanner('patrols', (json) => this.#take(json));
  }

  /** Reads the next piece of the file. @throws DocumentFault */
  take(piece: Buffer): void {
    if (!this.#isBegun && isWide(piece)) throw new DocumentFault(wideProblem);
    this.#scanner.take(this.#isBegun ? piece : piece.subarray(markBytes(piece)));
    this.#isBegun = true;
  }

  /** Ends the file. @throws DocumentFault */
  finish(): ReadPatrols {
    this.#at.list = '';
    const around = this.#scanner.finish();
    if (around.trim() === '') throw new DocumentFault('is empty');
    const document = parseLine(around, this.#at);
    const patrols = document?.['patrols'];
    if (document !== null && !Array.isArray(patrols)) this.#at.problem('patrols must be a list');
    else if (Array.isArray(patrols) && patrols.length !== this.#count)
      this.#at.problem('patrols holds something other than objects');
    return this.#reader.end();
  }

  #take(json: string): void {
    this.#at.line = this.#count;
    this.#count += 1;
    const patrol = parseLine(json, this.#at);
    if (patrol === null) return;
    // Before the reader, which ends the patrol.
    needEvents(patrol, this.#reader.collector);
    this.#reader.take(patrol);
  }
}

const referenceName = 'reference.json';
const patrolsName = 'patrols.json';
const tracksName = 'tracks.json';

/** The largest vocabulary with its people is some ten MB. */
const referenceLimit = 256 * 1024 * 1024;

/** What reading an exported bundle needs. */
export interface ExportedSource {
  readonly folder: BundleFolder;
  readonly path: string;
  readonly manifest: ReadDocument;
  readonly findings: Findings;
  /** The word of the external system in identifiers. */
  readonly word: string;
  /** The environment variable of the exporter for the timezone, in messages. */
  readonly timezoneVariable: string;
  /** Called with the bytes of each piece of the patrols, by far the largest file, and its size. */
  readonly onBytes: (file: string, count: number, total: number) => void;
}

const readPatrols = async (source: ExportedSource, reference: Reference, onPiece: (piece: Buffer) => void) => {
  const { folder, findings, onBytes } = source;
  const at = new FileFindings(findings, patrolsName);
  const classes = new Set(reference.patrolClasses.flatMap(({ value }) => value ?? []));
  const patrols = new ExportedPatrols({ ...reference, classes }, at);
  const onProblem = (problem: string): void => {
    at.list = '';
    at.problem(problem);
  };
  const readAll = async (file: WatchedFile): Promise<ReadPatrols | undefined> => {
    try {
      await readPieces(file, (piece) => {
        onPiece(piece);
        patrols.take(piece);
        onBytes(patrolsName, piece.length, file.size);
      });
      return patrols.finish();
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      at.problem(error.message);
      return undefined;
    }
  };
  return withFile(folder, patrolsName, onProblem, async (file) => {
    const used = await readAll(file);
    if (await file.isChanged()) onProblem('was changed while it was read; wait until the export has ended');
    return used;
  });
};

/** A station with a name is offered as the bundle says; one without only while patrols use it (contract of the exported bundle, 7). */
const offered = (station: Station, { stations }: Usage): Station => ({
  ...station,
  isActive: station.names.size > 0 ? station.isActive : stations.has(station.uuid),
});

/** A member of a leg whom the employees lack: the patrols could not be imported without it (contract of the exported bundle, 8). */
const unlistedEmployee = (uuid: string): Employee => ({
  uuid,
  id: null,
  name: dashedId(uuid),
  isActive: false,
  agency: undefined,
  rank: undefined,
  hasExtLogin: false,
});

const checkTracks = async ({ folder, findings }: ExportedSource): Promise<void> => {
  const at = new FileFindings(findings, tracksName);
  at.list = '';
  await withFile(
    folder,
    tracksName,
    (problem) => at.warn('tracks', `${problem}; the import of the patrols needs it`),
    () => Promise.resolve(),
  );
};

/**
 * Reads and validates an exported bundle, each file once (contract of the exported bundle); null with problems when it cannot be used.
 */
export const readExported = async (source: ExportedSource): Promise<Bundle | null> => {
  const { folder, path, manifest: document, findings, word } = source;
  const manifest = readExportedManifest(path, document, source.timezoneVariable);
  const at = new FileFindings(findings, referenceName);
  at.list = '';
  const duplicate = (name: string, line: number): void =>
    at.warn('duplicate', `has the member ${name} twice in one object (line ${line}); the last one counts`);
  const read = await readDocument(folder, at, referenceLimit, duplicate);
  if (read === null) return null;
  const facts: BundleFacts = {
    languages: new Set(manifest.languages.map(({ code }) => code)),
    referenceDate: manifest.exportedAt.slice(0, 10),
    word,
  };
  const reference = readReference({ members: read.members, where: '' }, at, facts);
  const hash = createHash('sha256').update(document.bytes).update(read.bytes);
  const patrols = await readPatrols(source, reference, (piece) => void hash.update(piece));
  await checkTracks(source);
  if (patrols === undefined) return null;
  const { usage, unlisted, requirements } = patrols;
  const { length: employees } = reference.employees;
  compareCounts(document, { patrols: usage.patrols, legs: requirements.legs, employees });
  return {
    ...reference,
    manifest: { ...manifest, sha256: hash.digest('hex') },
    stations: reference.stations.map((station) => offered(station, usage)),
    // The format has no flag for it.
    teams: reference.teams.map((team) => ({ ...team, isActive: usage.teams.has(team.uuid) })),
    employees: [...reference.employees, ...Array.from(unlisted, unlistedEmployee)],
    usage,
    requirements,
    warnings: findings.warnings,
  };
};
