import type { FileFindings } from '../findings.ts';
import { isWide, markBytes, wideProblem } from '../files/read-lines.ts';
import { isObject, type Members, parseLine } from '../json/parse-line.ts';
import {
  type PatrolFormat,
  type PatrolPlace,
  PatrolReader,
  type PatrolSources,
  type ReadPatrols,
} from '../patrols/patrol-reader.ts';
import { type RequirementCollector, spanFault } from '../patrols/requirements.ts';
import { DocumentFault, ListScanner } from './list-scanner.ts';

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
export class ExportedPatrols {
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
