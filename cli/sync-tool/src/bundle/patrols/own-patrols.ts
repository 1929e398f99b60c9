import { describe, type Noting } from '../findings.ts';
import { isObject, type Members } from '../json/parse-line.ts';
import { isDate, type ZoneTimestamps } from '../time/time.ts';
import { canonicalUuid } from '../values.ts';
import type { PatrolFormat, PatrolPlace } from './patrol-reader.ts';
import { legEnds, spanFault } from './requirements.ts';

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
export const ownPatrols = (timestamps: ZoneTimestamps): PatrolFormat => {
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
