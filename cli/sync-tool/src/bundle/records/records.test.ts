import { inspect } from 'node:util';
import test from 'ava';
import { id, record, valid, type ValidKind } from '../test/records.ts';
import { bundleHarness, hasProblem, type Parts } from '../test/harness.ts';

const one = (kind: ValidKind, parts: Record<string, unknown>): Parts => ({
  records: { [kind]: [{ ...valid[kind], ...parts }] },
});

for (const [kind, parts, words] of [
  ['stations', { is_active: 'true' }, /is_active must be true or false, it is the text "true"/],
  ['stations', { is_active: 1 }, /is_active must be true or false, it is the number 1/],
  ['stations', { is_active: null }, /is_active must be true or false, it is null/],
  ['stations', { is_active: undefined }, /is_active must be true or false, it is missing/],
  ['stations', { names: [] }, /names must be an object, it is a list/],
  ['stations', { names: undefined }, /names must be an object, it is missing/],
  ['stations', { names: { en: 5 } }, /names\.en must be a text, it is the number 5/],
  ['transports', { requires_pilot: 0 }, /requires_pilot must be true or false/],
  ['transports', { key: 7 }, /key must be a text/],
  ['transports', { icon_key: {} }, /icon_key must be a text, it is an object/],
  ['patrol_classes', { key: null }, /key must be a text, it is null/],
  ['patrol_classes', { uuid: 'x' }, /uuid must be a uuid/],
  ['mandates', { uuid: undefined }, /uuid must be a uuid.*it is missing/],
  ['teams', { mandate_uuid: 'x' }, /mandate_uuid must be a uuid/],
  ['employees', { id: 7 }, /id must be a text, it is the number 7/],
  ['employees', { id: '' }, /id must have 1 to 32 characters, it has 0/],
  ['employees', { id: 'x'.repeat(33) }, /id must have 1 to 32 characters, it has 33/],
  ['employees', { given_name: null }, /given_name must be a text/],
  ['employees', { has_ext_login: null }, /has_ext_login must be true or false, it is null/],
  ['employees', { has_ext_login: 'false' }, /has_ext_login must be true or false/],
  ['employees', { employment: null }, /employment must be an object/],
  ['employees', { employment: { start: null } }, /employment\.start must be a date/],
  ['employees', { employment: { start: '2023-02-29' } }, /employment\.start must be a date/],
  ['employees', { employment: { start: '2019-03-01', end: 'never' } }, /employment\.end must be a date/],
  ['employees', { agency: 'none' }, /agency must be an object/],
  ['employees', { rank: {} }, /rank\.names must be an object, it is missing/],
  ['patrol_attributes', { type: null }, /type must be a text/],
  ['patrol_attributes', { type: 'LIST', options: {} }, /options must be a list/],
  ['patrol_attributes', { type: 'LIST', options: [5] }, /options\[0\] must be an object/],
  ['patrols', { is_armed: 'no' }, /is_armed must be true or false/],
  ['patrols', { id: 5 }, /id must be a text/],
  ['patrols', { class_key: null }, /class_key must be a text/],
  ['patrols', { objective: 5 }, /objective must be a text or null/],
  ['patrols', { start_date: '2024-03-02T00:00:00+08:00' }, /start_date must be a date/],
  ['patrols', { end_date: null }, /end_date must be a date/],
  ['patrols', { attributes: [] }, /attributes must be an object/],
  ['patrols', { legs: null }, /legs must be a list, it is null/],
  ['patrols', { legs: [5] }, /legs\[0\] must be an object/],
  ['patrols', { team_uuid: 'x' }, /team_uuid must be a uuid/],
] as const)
  test(`${kind} with ${inspect(parts)} are refused`, async (t) => {
    await hasProblem(t, await bundleHarness(t, one(kind, parts)), `${kind}.jsonl:1`, words);
  });

for (const uuid of [
  '',
  'x'.repeat(32),
  'a'.repeat(31),
  '0'.repeat(32),
  '00000000-0000-0000-0000-000000000000',
  'aaaa-'.repeat(6),
])
  for (const kind of [
    'transports',
    'mandates',
    'stations',
    'teams',
    'patrol_attributes',
    'employees',
    'patrols',
  ] as const)
    test(`the uuid "${uuid}" is refused in ${kind}`, async (t) => {
      await hasProblem(
        t,
        await bundleHarness(t, one(kind, { uuid })),
        `${kind}.jsonl:1`,
        /uuid must be a uuid of 32 hex/,
      );
    });

const spelled = 'C1C1C1C1-c1c1-C1C1-c1c1-C1C1C1C1C1C1';

test('a uuid that stands twice in a file is refused in whatever spelling', async (t) => {
  const stations = [valid.stations, { ...valid.stations, uuid: spelled }];
  await hasProblem(
    t,
    await bundleHarness(t, { records: { stations } }),
    'stations.jsonl:2',
    /c1c1.* twice, first in line 1/,
  );
  const patrols = [valid.patrols, { ...valid.patrols, uuid: id('a1').toUpperCase() }];
  await hasProblem(t, await bundleHarness(t, { records: { patrols } }), 'patrols.jsonl:2', /twice, first in line 1/);
});

test('the same uuid in two files is fine', async (t) => {
  const harness = await bundleHarness(t, one('employees', { uuid: id('c1') }));
  t.is((await harness.read()).employees[0]?.uuid, id('c1'));
});

test('uuids are canonical in the model, however they are written', async (t) => {
  const harness = await bundleHarness(t, one('stations', { uuid: spelled }));
  const { stations, usage } = await harness.read();
  t.is(stations[0]?.uuid, id('c1'));
  t.deepEqual([...usage.stations], [id('c1')]);
});

test('an employee with both names blank is refused, with one it is fine', async (t) => {
  const blank = await bundleHarness(t, one('employees', { given_name: ' ', family_name: '' }));
  await hasProblem(t, blank, 'employees.jsonl:1', /given_name and family_name are both blank/);
  const unseen = await bundleHarness(t, one('employees', { given_name: '\u200B', family_name: '\u2060' }));
  await hasProblem(t, unseen, 'employees.jsonl:1', /given_name and family_name are both blank/);
  await t.notThrowsAsync((await bundleHarness(t, one('employees', { given_name: '' }))).read());
});

test('a staff id may stand twice and is kept as it is written', async (t) => {
  const employees = [valid.employees, { ...valid.employees, uuid: id('f2') }];
  const read = await (await bundleHarness(t, { records: { employees } })).read();
  t.deepEqual(
    read.employees.map((employee) => employee.id),
    ['007', '007'],
  );
  t.deepEqual(read.warnings, []);
});

test('an employment that ends before its start is a warning', async (t) => {
  const harness = await bundleHarness(t, one('employees', { employment: { start: '2024-01-01', end: '2023-01-01' } }));
  t.regex(
    (await harness.warnings()).join(),
    /employees\.jsonl:1: the employment ends 2023-01-01, before its start 2024-01-01/,
  );
});

test('what an employee record says, says is none, and does not say, are three things', async (t) => {
  const { agency: _agency, rank: _rank, has_ext_login: _login, ...silent } = valid.employees;
  const agency = { key: 'north', names: { en: 'North' } };
  const employees = [
    { ...valid.employees, agency, rank: { names: { en: 'Chief' } }, has_ext_login: true },
    { ...valid.employees, uuid: id('f2'), rank: { names: { en: ' ' } } },
    { ...silent, uuid: id('f3') },
  ];
  const read = await (await bundleHarness(t, { records: { employees } })).read();
  t.like(read.employees[0], { agency: { key: 'north', names: new Map([['en', 'North']]) }, hasExtLogin: true });
  t.deepEqual(read.employees[0]?.rank, new Map([['en', 'Chief']]));
  t.like(read.employees[1], { agency: null, rank: null, hasExtLogin: false });
  t.like(read.employees[2], { agency: undefined, rank: undefined, hasExtLogin: undefined });
});

test('labels that are absent, null or blank are missing, others stay as they are', async (t) => {
  const names = { en: ' Post ', fr: null, es: ' \n\u0007 ' };
  const { stations } = await (await bundleHarness(t, one('stations', { names }))).read();
  t.deepEqual(stations[0]?.names, new Map([['en', ' Post ']]));
});

test('a station whose name has no visible character is one without a name', async (t) => {
  const { stations } = await (await bundleHarness(t, one('stations', { names: { en: '\u200B\uFEFF' } }))).read();
  t.deepEqual(stations[0]?.names, new Map());
});

test('labels under codes that the manifest does not list are kept and warned of once a file', async (t) => {
  const stations = [id('c1'), id('c2')].map((uuid) => ({ uuid, is_active: true, names: { xx: 'Old' } }));
  const read = await (await bundleHarness(t, { records: { stations } })).read();
  t.is(read.stations[0]?.names.get('xx'), 'Old');
  t.deepEqual(
    read.warnings.map(({ text }) => text),
    ['stations.jsonl:1: names."xx" is no language of the manifest; used where no other is (2 times, lines 1, 2)'],
  );
});

test('names of prototypes are data like all others', async (t) => {
  const names = JSON.parse('{"__proto__":"Proto","constructor":"Made","en":"Post"}') as object;
  const harness = await bundleHarness(t, {
    raw: {
      stations: JSON.stringify({ ...valid.stations, names: 0 }).replace(
        '"names":0',
        `"names":${JSON.stringify(names)}`,
      ),
    },
    records: {
      mandates: ['__proto__', 'constructor'].map((key, at) => record('mandates', { key, uuid: id(`d${at}`) })),
    },
  });
  const { stations, mandates } = await harness.read();
  t.deepEqual([...(stations[0]?.names.keys() ?? [])].toSorted(), ['__proto__', 'constructor', 'en']);
  t.deepEqual(
    mandates.map(({ key }) => key),
    ['__proto__', 'constructor'],
  );
  t.is(({} as Record<string, unknown>)['en'], undefined);
});

test('members that nobody knows are ignored', async (t) => {
  const harness = await bundleHarness(t, one('stations', { later: { a: [1, null] } }));
  t.deepEqual((await harness.read()).stations, [{ uuid: id('c1'), isActive: true, names: new Map([['en', 'Label']]) }]);
});
