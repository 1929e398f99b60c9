import type { SampleRecord } from './json.ts';
import { sampleNames } from './labels.ts';
import { uuidAt } from './random.ts';
import type { World } from './vocabulary.ts';

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
