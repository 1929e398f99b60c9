import type { SampleCounts } from './counts.ts';
import { ZoneOffsets } from '../time/time.ts';
import type { SampleRecord } from './write-bundle.ts';
import { uuidAt, uuidsOf } from './random.ts';
import { attributeKey, attributeType, classKeys, nodePath, type SampleContext } from './vocabulary.ts';

const hourMs = 3_600_000;
const firstInstant = Date.UTC(2021, 0, 1);
const daysCovered = 1_800;
const attributesFilled = 4;

const remark =
  'Walked along the northern boundary and back by the river. Two old camps were found and taken down; no fresh tracks. ' +
  'The bridge at the ford is damaged and should be looked at before the rains. Water and fuel were handed over at the post.';

const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');

const offsetText = (offsetMs: number): string => {
  const minutes = Math.abs(offsetMs) / 60_000;
  return `${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
};

/** Formats timestamps in one zone, with the offset of the zone at that time. */
export const localTimes = (zone: string): ((instant: number) => string) => {
  const offsets = new ZoneOffsets(zone);
  return (instant) => {
    const offset = offsets.at(instant);
    return new Date(instant + offset).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length) + offsetText(offset);
  };
};

/** Answers of lists and trees are among their first options. */
const answer = (position: number, number: number, { options, treeNodes }: SampleCounts): unknown => {
  const among = (count: number): number => number % Math.max(1, Math.min(4, count));
  switch (attributeType(position)) {
    case 'LIST':
      return `option_${among(options)}`;
    case 'TREE':
      return nodePath(among(treeNodes));
    case 'NUMERIC':
      return number;
    case 'BOOLEAN':
      return number % 2 === 0;
    case 'DATE':
      return '2024-03-02';
    case 'TEXT':
      return 'none';
  }
};

const answers = ({ counts }: SampleContext, number: number): SampleRecord =>
  Object.fromEntries(
    Array.from({ length: Math.min(counts.attributes, attributesFilled) }, (_, position) => [
      attributeKey(position),
      answer(position, number, counts),
    ]),
  );

/** The people and records that patrols can name. */
interface Cast {
  readonly transports: readonly string[];
  readonly mandates: readonly string[];
  readonly stations: readonly string[];
  readonly employees: readonly string[];
}

const castOf = ({ seed, counts }: SampleContext): Cast => ({
  transports: uuidsOf(seed, 'transports', counts.transports),
  mandates: uuidsOf(seed, 'mandates', counts.mandates),
  stations: uuidsOf(seed, 'stations', counts.stations),
  // The last employees never go on patrol, and only some of the logins do.
  employees: uuidsOf(seed, 'employees', Math.ceil(counts.employees * 0.9)).filter(
    (_, position) => position >= counts.logins || position % 10 === 0,
  ),
});

const leg = (context: SampleContext, cast: Cast, number: number, from: string, to: string): SampleRecord => {
  const { random, counts, seed } = context;
  const pick = (uuids: readonly string[]): string | undefined => uuids[random.below(uuids.length)];
  return {
    uuid: uuidAt(seed, 'legs', number),
    id: '1',
    transport_uuid: pick(cast.transports),
    mandate_uuid: pick(cast.mandates),
    starts_at: from,
    ends_at: number % 20 === 0 ? null : to,
    members: Array.from({ length: cast.employees.length === 0 ? 0 : counts.membersPerLeg }, (_, position) => ({
      employee_uuid: pick(cast.employees),
      is_leader: position === 0,
      is_pilot: false,
    })),
  };
};

/** Generates patrols of five years, one at a time. Without transports or mandates, patrols have no legs. */
export function* patrols(context: SampleContext, areaId: string, zone: string): Generator<SampleRecord> {
  const { random, counts, seed } = context;
  const cast = castOf(context);
  const local = localTimes(zone);
  for (let number = 0; number < counts.patrols; number += 1) {
    const start = firstInstant + random.below(daysCovered * 24) * hourMs;
    const [from, to] = [local(start), local(start + (1 + random.below(30)) * hourMs)];
    const canMove = cast.transports.length > 0 && cast.mandates.length > 0;
    const isFromStation = cast.stations.length > 0 && number % 4 !== 3;
    yield {
      uuid: uuidAt(seed, 'patrols', number),
      id: `${areaId}_${String(number).padStart(6, '0')}`,
      class_key: classKeys[number % classKeys.length],
      station_uuid: isFromStation ? cast.stations[random.below(Math.ceil(cast.stations.length / 2))] : null,
      team_uuid: counts.teams > 0 ? uuidAt(seed, 'teams', number % counts.teams) : null,
      is_armed: number % 3 === 0,
      objective: number % 5 === 0 ? null : remark.slice(0, 100),
      comment: number % 10 === 0 ? null : remark,
      start_date: from.slice(0, 10),
      end_date: to.slice(0, 10),
      attributes: answers(context, number),
      legs: canMove ? [leg(context, cast, number, from, to)] : [],
    };
  }
}
