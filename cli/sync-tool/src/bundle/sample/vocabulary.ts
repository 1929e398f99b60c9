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

const option = (context: SampleContext, attribute: number, position: number, isTree: boolean): SampleRecord => {
  const kind = `options/${attribute}`;
  const parent = Math.floor((position - 1) / branches);
  const common = {
    uuid: uuidAt(context.seed, kind, position),
    key: isTree ? `n${position}` : `option_${position}`,
    order: position,
    is_active: context.random.next() < 0.9,
    names: sampleNames(context.random, context.counts.languages, 'option', position),
  };
  if (!isTree) return common;
  return {
    ...common,
    path: nodePath(position),
    parent_uuid: position === 0 ? null : uuidAt(context.seed, kind, parent),
  };
};

/** Generates attributes of all types in turn, one at a time, because their options are the largest part of a bundle's vocabulary. */
export function* attributes(context: SampleContext): Generator<SampleRecord> {
  const { counts, seed, random } = context;
  for (let position = 0; position < counts.attributes; position += 1) {
    const type = attributeType(position);
    const isTree = type === 'TREE';
    const length = isTree ? counts.treeNodes : counts.options;
    const options = Array.from({ length }, (_, at) => option(context, position, at, isTree));
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

/** Generates employees, the first of whom have logins; every seventh has left. Format 1.0 has no login flags. */
export function* employees(context: SampleContext, hasFlags: boolean): Generator<SampleRecord> {
  const { counts, seed, random } = context;
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

/** The input of all records of a sample. */
export interface SampleContext {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly counts: SampleCounts;
}

/** The classes that every installation has. */
export const classKeys = ['ground', 'marine', 'air', 'mixed'] as const;

const transportKeys = ['foot', 'boat', 'car', 'motorbike', 'horse', 'bicycle', 'plane', 'drone'];

const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, position) => position);

/** Nine of ten records are active. */
const isActive = ({ random }: SampleContext): boolean => random.next() < 0.9;

/** Generates transports; the first ones have realistic names. */
export const transports = (context: SampleContext): readonly SampleRecord[] =>
  numbered(context.counts.transports).map((position) => ({
    uuid: uuidAt(context.seed, 'transports', position),
    key: transportKeys[position] ?? `transport_${position}`,
    class_key: classKeys[position % classKeys.length],
    requires_pilot: position % classKeys.length === 2,
    icon_key: position % 3 === 0 ? null : `icon-${position % 7}`,
    is_active: isActive(context),
    names: sampleNames(context.random, context.counts.languages, 'transport', position),
  }));

/** Generates the four classes. */
export const patrolClasses = (context: SampleContext): readonly SampleRecord[] =>
  classKeys.map((key, position) => ({
    key,
    is_active: true,
    names: sampleNames(context.random, context.counts.languages, 'class', position),
  }));

/** Generates mandates. */
export const mandates = (context: SampleContext): readonly SampleRecord[] =>
  numbered(context.counts.mandates).map((position) => ({
    uuid: uuidAt(context.seed, 'mandates', position),
    key: position === 0 ? 'routine' : `mandate_${position}`,
    is_active: isActive(context),
    names: sampleNames(context.random, context.counts.languages, 'mandate', position),
  }));

/** Generates stations, some of them without a name, at regular intervals. */
export const stations = (context: SampleContext): readonly SampleRecord[] => {
  const { stations: count, unnamedStations, languages } = context.counts;
  return uuidsOf(context.seed, 'stations', count).map((uuid, position) => {
    const isUnnamed =
      Math.floor(((position + 1) * unnamedStations) / count) > Math.floor((position * unnamedStations) / count);
    const names = sampleNames(context.random, languages, 'station', position);
    return { uuid, is_active: isActive(context), names: isUnnamed ? {} : { ...names, en: `Post ${position}` } };
  });
};

/** Generates teams, half of them with a mandate. */
export const teams = (context: SampleContext): readonly SampleRecord[] =>
  numbered(context.counts.teams).map((position) => ({
    uuid: uuidAt(context.seed, 'teams', position),
    key: `team_${position}`,
    mandate_uuid: position % 2 === 0 || context.counts.mandates === 0 ? null : uuidAt(context.seed, 'mandates', 0),
    is_active: isActive(context),
    names: sampleNames(context.random, context.counts.languages, 'team', position),
  }));
