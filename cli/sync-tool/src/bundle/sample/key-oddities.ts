import type { SampleRecord } from './json.ts';
import type { Oddity } from './oddity.ts';
import { uuidAt } from './random.ts';
import type { World } from './vocabulary.ts';

const active = { is_active: true, names: { en: 'Odd' } };

const transport = ({ seed }: World, key: string | null, position = 0): SampleRecord => ({
  uuid: uuidAt(seed, `odd transport ${key}`, position),
  key,
  class_key: null,
  requires_pilot: false,
  icon_key: null,
  ...active,
});

const mandate = ({ seed }: World, key: string | null): SampleRecord => ({
  uuid: uuidAt(seed, `odd mandate ${key}`, 0),
  key,
  ...active,
});

const attribute = ({ seed }: World, key: string | null, more: SampleRecord = { type: 'TEXT' }): SampleRecord => ({
  uuid: uuidAt(seed, `odd attribute ${key} ${String(more['type'])}`, 0),
  key,
  ...active,
  ...more,
});

const option = ({ seed }: World, key: string | null): SampleRecord => ({
  uuid: uuidAt(seed, `odd option ${key}`, 0),
  key,
  order: 0,
  ...active,
});

const longKey = 'a_key_that_is_far_longer_than_any_value_may_be_'.repeat(3);

/** Oddities of keys and attributes (bundle contract, 3 and 5). */
export const keyOddities = {
  'prototype-keys': {
    extra: {
      transports: (world) => [transport(world, '__proto__'), transport(world, 'constructor')],
      patrol_attributes: (world) => [attribute(world, '__proto__'), attribute(world, 'constructor')],
    },
  },
  'keys-without-letters': {
    extra: { mandates: (world) => [mandate(world, '巡逻'), mandate(world, 'object'), mandate(world, 'object1')] },
  },
  'long-keys': {
    extra: {
      transports: (world) => [transport(world, longKey)],
      patrol_attributes: (world) => [
        attribute(world, longKey, { type: 'LIST', options: [option(world, `${longKey}${longKey}`)] }),
      ],
    },
  },
  'reserved-keys': {
    extra: {
      patrol_attributes: (world) =>
        ['mandate', 'Station', 'class'].map((key) => attribute(world, key, { type: 'LIST', options: [] })),
    },
  },
  'missing-keys': {
    extra: {
      transports: (world) => [transport(world, null), transport(world, '')],
      mandates: (world) => [mandate(world, null)],
      patrol_attributes: (world) => [
        attribute(world, null),
        attribute(world, 'keyless_option', { type: 'LIST', options: [option(world, null)] }),
      ],
    },
  },
  'unknown-attribute-types': {
    extra: { patrol_attributes: (world) => [attribute(world, 'shape', { type: 'POLYGON', options: 'anything' })] },
  },
  'lists-without-options': {
    extra: { patrol_attributes: (world) => [attribute(world, 'empty', { type: 'LIST' })] },
  },
} as const satisfies Readonly<Record<string, Oddity>>;
