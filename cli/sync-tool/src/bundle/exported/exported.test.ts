import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { labelFor } from '../labels/label.ts';
import { exportedBundle, type ExportedContent, leg, patrol, reference, uuid } from './test/exported-bundle.ts';

const bare = (pair: string): string => uuid(pair).replaceAll('-', '');
const labels = { labels: { en: 'Label' }, label: 'Label', active: true };

/** Objects that differ from one in a member and their uuids. */
const each = (like: object, member: string, values: readonly unknown[], pair: string): object[] =>
  values.map((value, at) => Object.assign({ ...like }, { uuid: uuid(`${pair}${at}`), [member]: value }));
const [employee, station, transport] = [reference.employees[0], reference.stations[0], reference.transports[0]];

test('an exported bundle is recognised by its manifest and read into the model of all bundles', async (t) => {
  const bundle = await (await exportedBundle(t)).read();
  t.is(bundle.manifest.format, 'exported');
  t.like(bundle.manifest, { area: { uuid: bare('ca'), id: 'SAMPLE' }, exportedAt: '2026-11-01T08:00:00+03:00' });
  t.deepEqual(
    bundle.manifest.languages.map(({ code, name, isDefault, coverage }) => [code, name, isDefault, coverage]),
    [
      ['en', 'en', true, 1],
      ['fr', 'fr', false, 0.0255],
    ],
  );
  t.like(bundle.transports[0], { uuid: bare('a1'), value: 'patrol_foot', classKey: 'ground', requiresPilot: false });
  t.like(bundle.attributes[0], { property: 'ext_weather', choiceField: 'patrol_weather', type: 'LIST' });
  t.like(bundle.employees[0], { uuid: bare('51'), id: '007', name: 'Asha Ranger', isActive: true });
  t.like(bundle.teams[0], { uuid: bare('81'), members: 1 });
  t.is(bundle.usage.patrols, 1);
  t.deepEqual([...bundle.usage.stations], [bare('c1')]);
  t.deepEqual([...bundle.usage.members], [bare('51')]);
  t.deepEqual(bundle.warnings, []);
});

test('the hash of an exported bundle is that of manifest, vocabulary and patrols', async (t) => {
  const harness = await exportedBundle(t);
  const hash = createHash('sha256');
  for (const name of ['manifest.json', 'reference.json', 'patrols.json'])
    hash.update(await readFile(join(harness.folder, name)));
  t.is((await harness.read()).manifest.sha256, hash.digest('hex'));
});

/** What is wrong with a bundle, the place and the words of its only problem. */
const problems: readonly (readonly [string, ExportedContent, string, RegExp])[] = [
  [
    'a later version',
    { manifest: { bundle_schema_version: 2 } },
    'manifest.json:2',
    /is the number 2; this tool reads version 1/,
  ],
  ['no vocabulary', { reference: null }, 'reference.json', /reference\.json is missing/],
  ['a vocabulary that is no JSON', { reference: '{"a":' }, 'reference.json', /is not JSON/],
  [
    'a list that is missing',
    { reference: { ranks: undefined } },
    'reference.json',
    /ranks must be a list, it is missing/,
  ],
  [
    'no flag',
    { reference: { stations: [{ ...station, active: undefined }] } },
    'reference.json: stations[0]',
    /active must be true or false/,
  ],
  [
    'a flag as a text',
    { reference: { stations: [{ ...station, active: 'true' }] } },
    'reference.json: stations[0]',
    /active must be true or false/,
  ],
  [
    'a flag as a number',
    { reference: { employees: [{ ...employee, active: 1 }] } },
    'reference.json: employees[0]',
    /active must be true or false/,
  ],
  ['a vocabulary that is no object', { reference: '[]' }, 'reference.json', /must be an object|is not an object/],
  ['patrols that are no object', { patrols: '[]' }, 'patrols.json', /object/],
  ['patrols that are no JSON', { patrols: '{"patrols":[}' }, 'patrols.json', /./],
  ['half of a surrogate pair', { reference: '{"ranks":"\\ud800"}' }, 'reference.json', /surrogate/],
  ['65 levels of nesting', { patrols: `{"patrols":[{"odd":${'['.repeat(70)}` }, 'patrols.json', /64/],
  [
    'no labels',
    { reference: { stations: [station, { ...station, uuid: uuid('c2'), labels: 1 }] } },
    'reference.json: stations[1]',
    /labels must be an object/,
  ],
  [
    'a birth date',
    { reference: { employees: [{ ...employee, birthdate: '1990-02-03' }] } },
    'reference.json: employees[0]',
    /has the member birthdate, which must never leave/,
  ],
  [
    'two attributes of one key',
    {
      reference: {
        patrol_attributes: each({ ...labels, type: 'TEXT', options: [] }, 'key', ['Wea-ther', 'Wea-ther'], '9'),
      },
    },
    'reference.json',
    /both become ext_wea_ther/,
  ],
  ['no patrols', { patrols: null }, 'patrols.json', /is missing/],
  ['patrols that are no list', { patrols: { patrols: {} } }, 'patrols.json', /patrols must be a list/],
  ['patrols without their list', { patrols: {} }, 'patrols.json', /patrols must be a list/],
  ['a patrol that is none', { patrols: { patrols: [patrol, 1] } }, 'patrols.json', /something other than objects/],
  ['an empty file of patrols', { patrols: '' }, 'patrols.json', /is empty/],
  ['patrols that are cut off', { patrols: '{"patrols":[{"legs":[' }, 'patrols.json', /ends too early/],
  [
    'a patrol without a class',
    { patrols: { patrols: [patrol, { ...patrol, patrol_type: undefined }] } },
    'patrols.json: patrols[1]',
    /patrol_type is missing/,
  ],
  [
    'a leg without members',
    { patrols: { patrols: [{ ...patrol, legs: [leg, { ...leg, members: undefined }] }] } },
    'patrols.json: patrols[0]',
    /legs\[1\]\.members is missing/,
  ],
];

for (const [what, parts, place, words] of problems)
  test(`${what} is a problem at its place`, async (t) => {
    const found = await (await exportedBundle(t, parts)).problems();
    t.is(found.length, 1, found.join('\n'));
    t.true(found[0]?.startsWith(`${place}: `), found[0]);
    t.regex(found[0] ?? '', words);
    t.notRegex(found[0] ?? '', /1990/);
  });

test('a zone that is none names the variable of the exporter', async (t) => {
  const { problems } = await exportedBundle(t, { manifest: { timezone: { name: 'EST', source: 'configured' } } });
  t.regex(
    (await problems()).join(),
    /timezone\.name must be .*, it is the text "EST"; re-export with EXT_TIMEZONE set/,
  );
  t.regex((await problems({ timezoneVariable: 'W_ZONE' })).join(), /re-export with W_ZONE set/);
});

test('a manifest of no format names both', async (t) => {
  const [problem = ''] = await (await exportedBundle(t, { manifest: '{}' })).problems();
  t.regex(problem, /ext-migration-bundle/);
  t.regex(problem, /bundle_schema_version/);
});

/** What is odd about a bundle that is read all the same, and the warning. */
const warnings: readonly (readonly [string, ExportedContent, RegExp])[] = [
  [
    'a warning of the exporter',
    { manifest: { warnings: ['timezone was inferred'] } },
    /the exporter warned: "timezone was inferred"/,
  ],
  [
    'another default language',
    { manifest: { default_language: 'fr' } },
    /"en" is not marked|"en" is marked|default_language says "fr"/,
  ],
  ['no tracks', { tracks: null }, /tracks\.json: is missing/],
  [
    'counts that differ',
    { manifest: { counts: { patrols: 9, legs: 1, employees: 1 } } },
    /counts\.patrols is 9, the bundle has 1/,
  ],
  [
    'a uuid in capitals',
    { reference: { stations: [{ ...station, uuid: uuid('c1').toUpperCase() }] } },
    /stations\[0\]: uuid is not written in lower case/,
  ],
  [
    'a uuid without dashes',
    { reference: { stations: [{ ...station, uuid: uuid('c1').replaceAll('-', '') }] } },
    /stations\[0\]: uuid is not written in lower case with dashes/,
  ],
  [
    'a member that stands twice',
    { reference: JSON.stringify(reference).replace('"ranks":[]', '"ranks":[],"ranks":[]') },
    /has the member "ranks" twice in one object/,
  ],
  [
    'an object twice',
    { reference: { stations: [station, station] } },
    /stations\[1\]: has the identity of stations\[0\]/,
  ],
  [
    'an unknown type',
    { reference: { patrol_attributes: [{ uuid: uuid('91'), key: 'a', type: ' ODD ', ...labels, options: [] }] } },
    /the attribute type "ODD" is not known/,
  ],
  [
    'another word',
    { reference: { employees: [{ ...employee, has_ext_login: undefined, has_word_login: true }] } },
    /set ext\.word: word/,
  ],
  [
    'an unknown transport',
    { patrols: { patrols: [{ ...patrol, legs: [{ ...leg, transport_uuid: uuid('ff') }] }] } },
    /names no transport of the bundle/,
  ],
  [
    'a member that is no employee',
    { patrols: { patrols: [{ ...patrol, legs: [{ ...leg, members: [{ employee_uuid: uuid('ff') }] }] }] } },
    /names no employee of the bundle/,
  ],
  [
    'a class that cannot be an option',
    { reference: { patrol_types: [{ key: 'A-B', active: true }] } },
    /"A-B" cannot be an option/,
  ],
];

for (const [what, parts, words] of warnings)
  test(`${what} is warned of`, async (t) => {
    const found = await (await exportedBundle(t, parts)).warnings();
    t.true(
      found.some((text) => words.test(text)),
      found.join('\n'),
    );
  });

test('a bundle without people and patrols is valid', async (t) => {
  const counts = { patrols: 0, legs: 0, employees: 0 };
  const parts = { manifest: { counts }, reference: { employees: [], teams: [] }, patrols: { patrols: [] } };
  t.deepEqual(await (await exportedBundle(t, parts)).warnings(), []);
});

test('the flag decides who is employed, and who has no name is called by staff id or uuid', async (t) => {
  const nameless = { ...employee, given_name: null, family_name: ' ', employment_end: '2020-01-01' };
  const employees = [nameless, { ...nameless, uuid: uuid('52'), id: null, active: false, employment_end: null }];
  const { employees: read } = await (await exportedBundle(t, { reference: { employees } })).read();
  t.deepEqual(
    read.map(({ name, id, isActive }) => [name, id, isActive]),
    [
      ['007', '007', true],
      [uuid('52'), null, false],
    ],
  );
});

test('a member of a leg whom the employees lack is planned: inactive, named by its uuid, without staff id', async (t) => {
  const members = [{ employee_uuid: uuid('fe') }];
  const read = await (
    await exportedBundle(t, { patrols: { patrols: [{ ...patrol, legs: [{ ...leg, members }] }] } })
  ).read();
  t.like(read.employees.at(-1), { uuid: bare('fe'), name: uuid('fe'), id: null, isActive: false });
  t.true(read.usage.members.has(bare('fe')));
});

test('transports of one value are numbered, also at the limit; one without a key has its uuid', async (t) => {
  const keys = ['Boat--Big', 'boat_big', 'x'.repeat(60), 'x'.repeat(70), null];
  const transports = each(transport ?? {}, 'key', keys, 'a');
  const read = await (await exportedBundle(t, { reference: { transports } })).read();
  t.deepEqual(
    read.transports.map(({ value }) => value),
    [
      'patrol_boat_big',
      'patrol_boat_big_2',
      `patrol_${'x'.repeat(43)}`,
      `patrol_${'x'.repeat(41)}_2`,
      `patrol_${uuid('a4').replaceAll('-', '_')}`,
    ],
  );
});

test('fields, options and mandates have the values of the importer', async (t) => {
  const long = 'Very long key of an attribute, longer than forty';
  const options = each(labels, 'key', ['A.b', 'a__B', '森', null], '1');
  const attribute = (pair: string, key: string) => ({ uuid: uuid(pair), key, type: 'LIST', ...labels, options });
  const patrol_attributes = [attribute('91', '_A__b_'), attribute('92', long), attribute('93', 'station')];
  const mandates = [{ uuid: uuid('b2'), key: null, ...labels }];
  const read = await (await exportedBundle(t, { reference: { patrol_attributes, mandates } })).read();
  const [first, second, third] = read.attributes;
  const hash = createHash('sha256').update(long).digest('hex').slice(0, 8);
  t.deepEqual([first?.property, first?.choiceField], ['ext_a_b', 'patrol_a_b']);
  t.is(second?.property, 'ext_very_long_key_of_an_attribute_longer_than_forty');
  t.is(second?.choiceField, `${'patrol_very_long_key_of_an_attribute'.slice(0, 31)}_${hash}`);
  t.is(second?.choiceField?.length, 40);
  t.is(third?.choiceField, 'patrol_ext_station');
  t.deepEqual(
    first?.options.map(({ value }) => value),
    ['a_b', '_', bare('13')],
  );
  t.is(read.mandates[0]?.value, bare('b2'));
  t.true(read.warnings.some(({ text }) => /"A\.b" and "a__B" both become a_b; the first counts/.test(text)));
});

test('the four known classes are always there, one that is not named inactive; others are called by their keys', async (t) => {
  const patrol_types = [
    { key: 'CAMEL', active: true },
    { key: 'AIR', active: true },
  ];
  const bundle = await (await exportedBundle(t, { reference: { patrol_types } })).read();
  const label = labelFor(bundle.manifest, 'en');
  t.deepEqual(
    bundle.patrolClasses.map(({ value, names, isActive }) => [value, label(names, '', 100), isActive]),
    [
      ['camel', 'Camel', true],
      ['air', 'Air', true],
      ['ground', 'Ground', false],
      ['marine', 'Marine', false],
      ['mixed', 'Mixed', false],
    ],
  );
});

test('a label is that of the language, the default language, `label`, any language in the order of the record, the key', async (t) => {
  const bundle = await (await exportedBundle(t)).read();
  const label = labelFor(bundle.manifest, 'fr');
  const shown = (names: Record<string, string>): string => label(new Map(Object.entries(names)), 'key', 100);
  t.is(shown({ zu: 'z', en: 'e', fr: 'f', '': 'l' }), 'f');
  t.is(shown({ zu: 'z', en: 'e', '': 'l' }), 'e');
  t.is(shown({ zu: 'z', aa: 'a', '': 'l' }), 'l');
  t.is(shown({ zu: 'z', aa: 'a' }), 'z');
  t.is(shown({}), 'key');
});

/** A station with this label. */
const one = (pair: string, label: string | null, active: boolean) => ({
  uuid: uuid(pair),
  labels: {},
  label,
  active,
});

test('a named station is offered as the bundle says, one without a name only while patrols use it', async (t) => {
  const stations = [one('c1', null, false), one('c2', null, true), one('c3', 'Post', false), one('c4', 'Post', true)];
  const used = each(patrol, 'station_uuid', [uuid('c1'), uuid('c3')], 'd');
  const bundle = await (await exportedBundle(t, { reference: { stations }, patrols: { patrols: used } })).read();
  t.deepEqual(
    bundle.stations.map(({ isActive }) => isActive),
    [true, false, false, true],
  );
});
