import test from 'ava';
import * as fc from 'fast-check';
import { exportedBundle, type Json, leg, patrol, reference, uuid } from '../exported/test/exported-bundle.ts';
import { bundleHarness } from '../test/harness.ts';
import { leg as ownLeg, valid } from '../test/records.ts';
import { RequirementCollector } from './requirements.ts';

const bare = (pair: string): string => uuid(pair).replaceAll('-', '');
const observation = (category_hkey: string): Json => ({ uuid: uuid('f9'), category_hkey, attributes: [{ key: 'x' }] });
const waypoint = (...categories: readonly string[]): Json => ({
  uuid: uuid('f7'),
  comment: '"category_hkey":"no."',
  observation_groups: [{ uuid: uuid('f8'), observations: categories.map(observation) }],
});

const attribute = (pair: string, key: string, type: string): Json => ({
  ...reference.patrol_attributes[0],
  uuid: uuid(pair),
  key,
  type,
  ...(type === 'NUMERIC' ? { options: [] } : {}),
});

const values = (...pairs: readonly (readonly [string, unknown])[]) =>
  pairs.map(([key, value]) => ({ attribute_uuid: uuid('91'), key, value }));

test('of an exported bundle each patrol tells what it needs, once', async (t) => {
  const legs = [
    { ...leg, waypoints: [waypoint('animals.'), waypoint('animals.', 'people.')] },
    { ...leg, members: [{ employee_uuid: uuid('ee'), leader: false }] },
  ];
  const attributes = [{ attribute_uuid: uuid('91'), key: 'weather', value: 'dry' }];
  const patrols = [patrol, { ...patrol, team_uuid: uuid('81'), attributes, legs }];
  const harness = await exportedBundle(t, { patrols: { patrols } });
  const found = (await harness.read()).requirements;
  t.like(found, { patrols: 2, isComplete: true, faults: {} });
  t.deepEqual(
    found?.all.map(({ kind, key, patrols, first, leads }) => [kind, key, patrols, first.slice(-10), leads]).toSorted(),
    [
      ['class', 'GROUND', 2, 'patrols[0]', false],
      ['collection', '', 1, 'patrols[1]', false],
      ['event_type', 'animals.', 1, 'patrols[1]', false],
      ['event_type', 'people.', 1, 'patrols[1]', false],
      ['field', bare('91'), 1, 'patrols[1]', false],
      ['mandate', bare('b1'), 2, 'patrols[0]', false],
      ['member', bare('51'), 2, 'patrols[0]', true],
      ['member', bare('ee'), 1, 'patrols[1]', false],
      ['option', 'patrol_weather/dry', 1, 'patrols[1]', false],
      ['station', bare('c1'), 2, 'patrols[0]', false],
      ['team', bare('81'), 1, 'patrols[1]', false],
      ['transport', bare('a1'), 2, 'patrols[0]', false],
    ].toSorted(),
  );
});

test('values that no list has, attributes that do not exist, texts in numbers and odd dates are counted, with the first places', async (t) => {
  const odd = { start_date: '2026-03-01', end_date: '2026-03-03' };
  const patrols = [
    { ...patrol, attributes: values(['weather', 'hail'], ['weather', 'dry'], ['mood', 'x'], ['crew', 3]) },
    { ...patrol, attributes: values(['weather', 'hail'], ['crew', 'four'], ['crew', null]) },
    { ...patrol, ...odd, legs: [{ ...leg, start_date: '2026-03-02', end_date: '2026-03-04' }] },
    {
      ...patrol,
      ...odd,
      legs: [{ ...leg, start_date: '1970-01-01', end_date: '1970-01-01', placeholder_dates: true }],
    },
  ];
  const patrol_attributes = [attribute('91', 'weather', 'LIST'), attribute('94', 'crew', 'NUMERIC')];
  const harness = await exportedBundle(t, { reference: { patrol_attributes }, patrols: { patrols } });
  const { faults, all } = (await harness.read()).requirements ?? {};
  t.deepEqual(
    all?.flatMap(({ kind, key, patrols }) => (kind === 'fault' ? [[key, patrols]] : [])),
    [
      ['unknown_option', 2],
      ['unknown_attribute', 1],
      ['text_in_number', 1],
      ['leg_span', 1],
    ],
  );
  t.deepEqual(faults, {
    unknown_option: {
      count: 2,
      examples: ['the attribute "weather" has no option for the text "hail" (patrols.json: patrols[0])'],
    },
    unknown_attribute: {
      count: 1,
      examples: ['the attribute "mood" does not exist (patrols.json: patrols[0])'],
    },
    text_in_number: {
      count: 1,
      examples: ['the attribute "crew" takes numbers, not a text (patrols.json: patrols[1])'],
    },
    leg_span: {
      count: 1,
      examples: ['a leg goes beyond the dates of its patrol (patrols.json: patrols[2])'],
    },
  });
});

test('of a bundle of our own format the same is collected, with its lines', async (t) => {
  const odd = { ...valid.patrols, attributes: { mood: 1 }, legs: [ownLeg()] };
  const harness = await bundleHarness(t, { records: { patrols: [odd] } });
  const found = (await harness.read()).requirements;
  t.is(found?.patrols, 1);
  t.true(found?.all.every(({ first }) => first === 'patrols.jsonl:1'));
  t.true(['class', 'transport', 'mandate', 'member'].every((kind) => found?.all.some((each) => each.kind === kind)));
  t.deepEqual(found?.faults.unknown_attribute?.examples, ['the attribute "mood" does not exist (patrols.jsonl:1)']);
});

test('the patrols that need any of some objects are counted once each', (t) => {
  const key = fc.integer({ min: 0, max: 6 }).map(String);
  fc.assert(
    fc.property(fc.array(fc.array(key)), fc.uniqueArray(key), (patrols, wanted) => {
      const collector = new RequirementCollector();
      for (const [at, needed] of patrols.entries()) {
        for (const each of needed) collector.need('member', each);
        collector.end({ spot: `patrol ${at}` });
      }
      const { all, affectedBy } = collector.requirements();
      for (const { key: each, patrols: count, first } of all) {
        t.is(count, patrols.filter((needed) => needed.includes(each)).length);
        t.is(first, `patrol ${patrols.findIndex((needed) => needed.includes(each))}`);
      }
      const asked = all.filter(({ key: each }) => wanted.includes(each));
      t.is(affectedBy(asked), patrols.filter((needed) => needed.some((each) => wanted.includes(each))).length);
    }),
  );
});
