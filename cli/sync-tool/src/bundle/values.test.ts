import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import {
  attributeChoiceField,
  attributeProperty,
  canonicalUuid,
  choiceValue,
  normaliseKey,
  patrolTypeValue,
  shorten,
} from './values.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

for (const [key, normal] of [
  ['Foot', 'foot'],
  ['a_B_9', 'a_b_9'],
  ['_kept_', '_kept_'],
  ['a.b', 'a_b'],
  ['a -- b', 'a_b'],
  ['.Zone Nord.', 'zone_nord'],
  ['_a b_', 'a_b'],
  ['巡逻', hashOf('巡逻')],
  ['север.восток', `${hashOf('север')}_${hashOf('восток')}`],
  ['north.восток', `north_${hashOf('восток')}`],
  ['---', hashOf('---')],
  ['_ _', hashOf('_ _')],
  ['object1', 'object1'],
  ['été', 't'],
] as const)
  test(`the key ${JSON.stringify(key)} becomes ${normal}`, (t) => {
    t.is(normaliseKey(key), normal);
  });

test('an over-long value keeps its first characters and ends in a digest of all of it', (t) => {
  const value = 'patrol_'.padEnd(51, 'x');
  const digest = createHash('sha256').update(value).digest('hex').slice(0, 8);
  t.is(shorten(value, 50), `${value.slice(0, 41)}_${digest}`);
  t.is(shorten(value, 51), value);
});

test('each target has its form', (t) => {
  t.is(patrolTypeValue('Foot'), 'patrol_foot');
  t.is(choiceValue('North.River'), 'north_river');
  t.is(attributeProperty('Weather', 'ext'), 'ext_weather');
  t.is(attributeProperty('Weather', 'word'), 'word_weather');
  t.is(attributeChoiceField('Weather'), 'patrol_weather');
});

test('attributes called like a core field get a choice field of their own', (t) => {
  for (const key of ['mandate', 'Station', 'class']) t.is(attributeChoiceField(key), `patrol_ext_${key.toLowerCase()}`);
  t.is(attributeChoiceField('classes'), 'patrol_classes');
});

testProp('whatever the key, values are plain and within their limits', [fc.string({ unit: 'grapheme' })], (t, key) => {
  t.regex(patrolTypeValue(key), /^[a-z0-9_]{8,50}$/);
  t.regex(choiceValue(key), /^[a-z0-9_]{1,100}$/);
  t.regex(attributeProperty(key, 'ext'), /^[a-z0-9_]{5,40}$/);
  t.regex(attributeChoiceField(key), /^[a-z0-9_]{8,40}$/);
  t.is(normaliseKey(normaliseKey(key)), normaliseKey(key));
});

testProp(
  'keys without a Latin letter or digit stay different',
  [
    fc.uniqueArray(
      fc.array(fc.constantFrom('п', 'о', '巡', '逻', '-'), { minLength: 1 }).map((letters) => letters.join('')),
    ),
  ],
  (t, keys) => {
    for (const valueOf of [
      patrolTypeValue,
      choiceValue,
      (key: string) => attributeProperty(key, 'ext'),
      attributeChoiceField,
    ])
      t.is(new Set(keys.map(valueOf)).size, keys.length);
  },
);

testProp('different long keys stay different', [fc.uniqueArray(fc.integer(), { minLength: 2 })], (t, numbers) => {
  const values = numbers.map((number) =>
    choiceValue(`${'long'.repeat(40)}${number < 0 ? 'minus' : ''}${Math.abs(number)}`),
  );
  t.is(new Set(values).size, numbers.length);
});

const zero = '0'.repeat(32);
const hex = fc.stringMatching(/^[0-9a-f]{32}$/).filter((uuid) => uuid !== zero);
const dashed = (uuid: string): string => uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

testProp('every spelling of a uuid has one canonical one', [hex], (t, uuid) => {
  for (const spelling of [uuid, uuid.toUpperCase(), dashed(uuid), dashed(uuid).toUpperCase()])
    t.is(canonicalUuid(spelling), uuid);
});

testProp(
  'what is no uuid has none',
  [fc.oneof(fc.string(), fc.string({ minLength: 32, maxLength: 36 }))],
  (t, text) => {
    const isUuid = /^[0-9a-f]{32}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
    t.is(canonicalUuid(text) !== null, isUuid && !/^[0-]*$/.test(text));
  },
);

for (const text of [
  zero,
  dashed(zero),
  `${'a'.repeat(31)}g`,
  `{${'a'.repeat(32)}}`,
  ` ${'a'.repeat(31)}`,
  'é'.repeat(32),
  'aaaa-'.repeat(7) + 'a',
])
  test(`"${text}" is no uuid`, (t) => {
    t.is(canonicalUuid(text), null);
  });

test('the examples of the page are what the keys become', (t) => {
  const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, table = ''] = /^\| key +\| becomes +\|\n(.*?)\n\n/ms.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `(.+?)` +\| `(.+?)` +\|$/gm)];
  t.is(rows.length, 5);
  for (const [, key = '', value = ''] of rows) t.is(normaliseKey(key), value);
});
