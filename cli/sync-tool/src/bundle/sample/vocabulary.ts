import type { SampleCounts } from './counts.ts';
import type { SampleRecord } from './json.ts';
import { sampleNames } from './labels.ts';
import { uuidAt, uuidsOf, type SeededRandom } from './random.ts';

/** What all records of a sample are made from. */
export interface World {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly counts: SampleCounts;
}

/** The classes of every installation. */
export const classKeys = ['ground', 'marine', 'air', 'mixed'] as const;

const transportKeys = ['foot', 'boat', 'car', 'motorbike', 'horse', 'bicycle', 'plane', 'drone'];

const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, position) => position);

/** Nine of ten records are active. */
const isActive = ({ random }: World): boolean => random.next() < 0.9;

/** Transports; the first ones have names that people know. */
export const transports = (world: World): readonly SampleRecord[] =>
  numbered(world.counts.transports).map((position) => ({
    uuid: uuidAt(world.seed, 'transports', position),
    key: transportKeys[position] ?? `transport_${position}`,
    class_key: classKeys[position % classKeys.length],
    requires_pilot: position % classKeys.length === 2,
    icon_key: position % 3 === 0 ? null : `icon-${position % 7}`,
    is_active: isActive(world),
    names: sampleNames(world.random, world.counts.languages, 'transport', position),
  }));

/** The four classes. */
export const patrolClasses = (world: World): readonly SampleRecord[] =>
  classKeys.map((key, position) => ({
    key,
    is_active: true,
    names: sampleNames(world.random, world.counts.languages, 'class', position),
  }));

/** Mandates. */
export const mandates = (world: World): readonly SampleRecord[] =>
  numbered(world.counts.mandates).map((position) => ({
    uuid: uuidAt(world.seed, 'mandates', position),
    key: position === 0 ? 'routine' : `mandate_${position}`,
    is_active: isActive(world),
    names: sampleNames(world.random, world.counts.languages, 'mandate', position),
  }));

/** Every so-many-th station has no name. */
export const stations = (world: World): readonly SampleRecord[] => {
  const { stations: count, unnamedStations, languages } = world.counts;
  return uuidsOf(world.seed, 'stations', count).map((uuid, position) => {
    const isUnnamed =
      Math.floor(((position + 1) * unnamedStations) / count) > Math.floor((position * unnamedStations) / count);
    const names = sampleNames(world.random, languages, 'station', position);
    return { uuid, is_active: isActive(world), names: isUnnamed ? {} : { ...names, en: `Post ${position}` } };
  });
};

/** Teams, half of them with a mandate. */
export const teams = (world: World): readonly SampleRecord[] =>
  numbered(world.counts.teams).map((position) => ({
    uuid: uuidAt(world.seed, 'teams', position),
    key: `team_${position}`,
    mandate_uuid: position % 2 === 0 || world.counts.mandates === 0 ? null : uuidAt(world.seed, 'mandates', 0),
    is_active: isActive(world),
    names: sampleNames(world.random, world.counts.languages, 'team', position),
  }));
