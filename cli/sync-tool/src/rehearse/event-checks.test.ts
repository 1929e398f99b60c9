import type { EventType } from '@ranger-relay/site';
import test from 'ava';
import { checkEventTypes, eventTypesOf } from './event-checks.ts';

const area = '000000ca00004000800000000000ca01';
const dashed = '000000ca-0000-4000-8000-00000000ca01';

/** The type that a category finds among these values. */
const found = (key: string, ...values: readonly (string | EventType)[]): string | undefined => {
  const types = values.map((value) =>
    typeof value === 'string' ? { value, category: '', is_active: true, is_collection: false } : value,
  );
  return eventTypesOf(sourcesFor(key), types)[0]?.type?.value;
};

/** A bundle whose observations need one category. */
const sourcesFor = (key: string) => {
  const requirement = { kind: 'event_type', key, patrols: 1, first: '', leads: false } as const;
  return {
    word: 'word',
    bundle: { manifest: { area: { uuid: area } }, requirements: { all: [requirement] } },
  } as never;
};

test('a category without a type names values that are found', (t) => {
  const [finding] = checkEventTypes(sourcesFor('animals.big_mammal.'), { eventTypes: { value: [] } } as never);
  const [, ...values] = /looked for as (\S+) or (\S+): /.exec(finding?.examples[0] ?? '') ?? [];
  t.is(values.length, 2);
  for (const value of values) t.is(found('animals.big_mammal.', value), value);
});

for (const value of [
  'word-ca-import_animals_big.mammal',
  `word-ca-import_${dashed.replace('ca', 'cb')}_animals_big_mammal`,
  `${dashed}_animals_big_mammal`,
  `${area}_Animals.Big_Mammal`,
])
  test(`a category finds its type as ${value}`, (t) => {
    t.is(found('animals.big_mammal.', value), value);
  });

for (const value of [
  'ext-ca-import_animals',
  `${dashed.replace('ca', 'cb')}_animals`,
  'word-ca-import_animals_mammal',
  'animals',
])
  test(`a category does not take ${value} for its type`, (t) => {
    t.is(found('animals.', value), undefined);
  });

test('of several types of one category an active one is taken', (t) => {
  const [first, second] = ['word-ca-import_a', `${area}_a`];
  const inactive = { value: first, category: '', is_active: false, is_collection: false };
  t.is(found('a.', inactive, second), second);
  t.is(found('a.', second, inactive), second);
});
