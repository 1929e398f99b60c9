import type { SampleCounts } from './counts.ts';
import type { SampleRecord } from './write-bundle.ts';
import { sampleNames, type SeededRandom, uuidAt, uuidsOf } from './random.ts';

const types = ['LIST', 'TREE', 'NUMERIC', 'TEXT', 'BOOLEAN', 'DATE'] as const;
const branches = 4;

/** The key of an attribute of a sample. */
export const attributeKey = (position: number): string => `attribute_${position}`;

/** The type of an attribute of a sample. */
export const attributeType = (position: number): (typeof types)[number] => types[position % types.length] ?? 'TEXT';

/** The path of a node of a tree in which every node has four below it. */
export const nodePath = (position: number): string =>
  position === 0 ? 'n0' : `${nodePath(Math.floor((position - 1) / branches))}.n${position}`;

const option = (world: World, attribute: number, position: number, isTree: boolean): SampleRecord => {
  const kind = `options/${attribute}`;
  const parent = Math.floor((position - 1) / branches);
  const common = {
    uuid: uuidAt(world.seed, kind, position),
    key: isTree ? `n${position}` : `option_${position}`,
    order: position,
    is_active: world.random.next() < 0.9,
    names: sampleNames(world.random, world.counts.languages, 'option', position),
  };
  if (!isTree) return common;
  return { ...common, path: nodePath(position), parent_uuid: position === 0 ? null : uuidAt(world.seed, kind, parent) };
};

/** Attributes of all types in turn, one at a time: their options are the largest part of a bundle's vocabulary. */
export function* attributes(world: World): Generator<SampleRecord> {
  const { counts, seed, random } = world;
  for (let position = 0; position < counts.attributes; position += 1) {
    const type = attributeType(position);
    const isTree = type === 'TREE';
    const length = isTree ? counts.treeNodes : counts.options;
    const options = Array.from({ length }, (_, at) => option(world, position, at, isTree));
    yield {
      uuid: uuidAt(seed, 'patrol_attributes', position),
      key: attributeKey(position),
      type,
      is_active: random.next() < 0.9,
      names: sampleNames(random, counts.languages, 'attribute', position),
      ...(type === 'LIST' || isTree ? { options } : {}),
    };
  }
}

const givenNames = ['Amina', 'Ben', 'Chipo', 'Dara', 'Elio', 'Farah', 'Grace', 'Hugo', 'Ines', 'Juma', 'Kofi', 'Lan'];
const familyNames = ['Abara', 'Bakar', 'Cruz', 'Diaz', 'Eko', 'Flores', 'Gomez', 'Haji', 'Islas', 'Jara', 'Keita'];

const date = (year: number, position: number): string =>
  `${year}-${String(1 + (position % 12)).padStart(2, '0')}-${String(1 + (position % 28)).padStart(2, '0')}`;

/** Employees, the first of whom have logins; every seventh has left. In format 1.0 nobody has a login flag. */
export function* employees(world: World, hasFlags: boolean): Generator<SampleRecord> {
  const { counts, seed, random } = world;
  for (let position = 0; position < counts.employees; position += 1) {
    const agency = {
      key: `agency_${position % 4}`,
      names: sampleNames(random, counts.languages, 'agency', position % 4),
    };
    yield {
      uuid: uuidAt(seed, 'employees', position),
      id: String(position + 1).padStart(3, '0'),
      given_name: givenNames[random.below(givenNames.length)],
      family_name: `${familyNames[random.below(familyNames.length)]} ${position}`,
      employment: {
        start: date(2012 + (position % 8), position),
        end: position % 7 === 6 ? date(2024, position) : null,
      },
      agency: position % 2 === 0 ? null : agency,
      rank: position % 5 === 0 ? null : { names: sampleNames(random, counts.languages, 'rank', position % 5) },
      ...(hasFlags ? { has_ext_login: position < counts.logins } : {}),
    };
  }
}

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
