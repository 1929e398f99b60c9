import test from 'ava';
import { id, leg, valid } from '../test/records.ts';
import { bundleHarness, hasProblem, type ManifestJson } from '../test/harness.ts';

const patrol = (parts: Record<string, unknown>, number = 0) => ({ ...valid.patrols, uuid: id(`1${number}`), ...parts });
const member = (pair: string) => ({ employee_uuid: id(pair), is_leader: false, is_pilot: false });

test('what patrols use is known by uuid', async (t) => {
  const { usage } = await (
    await bundleHarness(t, {
      records: {
        stations: [valid.stations, { ...valid.stations, uuid: id('c2') }],
        employees: [valid.employees, { ...valid.employees, uuid: id('f2') }],
        patrols: [patrol({ legs: [leg()] }), patrol({ station_uuid: null }, 1)],
      },
    })
  ).read();
  t.deepEqual(usage, {
    patrols: 2,
    stations: new Set([id('c1')]),
    transports: new Set([id('b1')]),
    teams: new Map(),
    mandates: new Set([id('d1')]),
    members: new Set([id('f1')]),
  });
});

test('references to records that are not there are one warning each kind and are not used', async (t) => {
  const legs = [leg({ transport_uuid: id('99'), mandate_uuid: id('98'), members: [member('97'), member('96')] })];
  const patrols = [patrol({}), patrol({ station_uuid: id('95'), class_key: 'submarine', legs }, 1)];
  const read = await (await bundleHarness(t, { records: { patrols } })).read();
  t.deepEqual(
    read.warnings.map(({ text }) => text),
    [
      'patrols.jsonl:2: class_key "submarine" names no patrol class of the bundle',
      `patrols.jsonl:2: station_uuid ${id('95')} names no station of the bundle; this use is ignored`,
      `patrols.jsonl:2: legs[0].transport_uuid ${id('99')} names no transport of the bundle; this use is ignored`,
      `patrols.jsonl:2: legs[0].mandate_uuid ${id('98')} names no mandate of the bundle; this use is ignored`,
      `patrols.jsonl:2: legs[0].members[0].employee_uuid ${id('97')} names no employee of the bundle; this use is ignored (2 times, lines 2)`,
    ],
  );
  t.is(read.usage.members.size, 0);
});

test('a transport of an unknown class is a warning', async (t) => {
  const transports = [{ ...valid.transports, class_key: 'space' }];
  t.regex(
    (await (await bundleHarness(t, { records: { transports } })).warnings()).join(),
    /transports\.jsonl:1: class_key "space"/,
  );
});

for (const [what, parts, words] of [
  ['a leg', { uuid: 'x' }, /legs\[0\]\.uuid must be a uuid/],
  ['an id', { id: 1 }, /legs\[0\]\.id must be a text/],
  ['a transport', { transport_uuid: null }, /legs\[0\]\.transport_uuid must be a uuid.*it is null/],
  ['a mandate', { mandate_uuid: '0'.repeat(32) }, /legs\[0\]\.mandate_uuid must be a uuid/],
  ['members', { members: null }, /legs\[0\]\.members must be a list/],
  ['a member', { members: [5] }, /legs\[0\]\.members\[0\] must be an object/],
  [
    'a member’s uuid',
    { members: [{ ...member('f1'), employee_uuid: 'x' }] },
    /members\[0\]\.employee_uuid must be a uuid/,
  ],
  [
    'a leader',
    { members: [{ ...member('f1'), is_leader: 1 }] },
    /legs\[0\]\.members\[0\]\.is_leader must be true or false/,
  ],
  ['a pilot', { members: [{ ...member('f1'), is_pilot: null }] }, /is_pilot must be true or false/],
  ['a time', { starts_at: 5 }, /legs\[0\]\.starts_at must be a timestamp/],
  ['an offset', { starts_at: '2024-03-02T06:10:00' }, /starts_at "2024-03-02T06:10:00" has no offset/],
  ['a date', { ends_at: '2024-02-30T06:10:00+08:00' }, /legs\[0\]\.ends_at must be a timestamp/],
] as const)
  test(`a leg is refused for ${what} that is not as it must be`, async (t) => {
    const harness = await bundleHarness(t, { records: { patrols: [patrol({ legs: [leg(parts)] })] } });
    await hasProblem(t, harness, 'patrols.jsonl:1', words);
  });

test('a uuid of a leg stands once in the file', async (t) => {
  const patrols = [patrol({ legs: [leg()] }), patrol({ legs: [leg()] }, 1)];
  await hasProblem(
    t,
    await bundleHarness(t, { records: { patrols } }),
    'patrols.jsonl:2',
    /legs\[0\]\.uuid .* first in line 1/,
  );
});

test('ends before starts are warnings', async (t) => {
  const legs = [leg({ starts_at: '2024-03-02T06:10:00+08:00', ends_at: '2024-03-02T06:09:59+08:00' })];
  const harness = await bundleHarness(t, { records: { patrols: [patrol({ end_date: '2024-03-01', legs })] } });
  t.deepEqual(await harness.warnings(), [
    'patrols.jsonl:1: end_date 2024-03-01 is before start_date 2024-03-02',
    'patrols.jsonl:1: legs[0].ends_at is before starts_at',
  ]);
});

const zone = (timezone: string, exported_at: string) => (m: ManifestJson) => ({ ...m, timezone, exported_at });

const at = async (t: Parameters<typeof bundleHarness>[0], timezone: string, exported: string, ...starts: string[]) => {
  const patrols = starts.map((starts_at, number) =>
    patrol({ legs: [leg({ uuid: id(`2${number}`), starts_at })] }, number),
  );
  return (await bundleHarness(t, { records: { patrols }, manifest: zone(timezone, exported) })).warnings();
};

test('an offset that the zone does not have then is a warning with count and first place', async (t) => {
  const wrong = '2024-03-02T06:10:00+09:00';
  const right = '2024-03-02T06:10:00+08:00';
  t.deepEqual(await at(t, 'Asia/Manila', right, right, wrong, right, wrong), [
    `patrols.jsonl:2: legs[0].starts_at "${wrong}" has an offset that Asia/Manila does not have then; it is kept (2 times, lines 2, 4)`,
  ]);
});

test('warnings name the zone as the manifest does, whichever of its names that is', async (t) => {
  for (const name of ['Asia/Kathmandu', 'Europe/Kyiv', 'Asia/Yangon'])
    t.regex((await at(t, name, '2026-01-31T00:00:00+00:00')).join(), new RegExp(`an offset that ${name} does not`));
});

test('Z is right in UTC alone, and +00:00 wherever it is', async (t) => {
  t.deepEqual(await at(t, 'UTC', '2026-01-31T00:00:00Z', '2024-03-02T06:10:00Z', '2024-03-02T06:10:00+00:00'), []);
  t.deepEqual(await at(t, 'Europe/London', '2026-01-31T00:00:00+00:00', '2024-01-02T06:10:00.5+00:00'), []);
  t.is((await at(t, 'Europe/London', '2026-01-31T00:00:00+00:00', '2024-01-02T06:10:00Z')).length, 1);
  t.is((await at(t, 'Asia/Manila', '2026-01-31T00:00:00Z')).length, 1);
});

test('in the hour that a clock change repeats both offsets are right, in the one it leaves out none', async (t) => {
  const exported = '2026-01-31T00:00:00-05:00';
  const twice = ['2024-11-03T01:30:00-04:00', '2024-11-03T01:30:00-05:00'];
  t.deepEqual(await at(t, 'America/New_York', exported, ...twice), []);
  const never = ['2024-03-10T02:30:00-05:00', '2024-03-10T02:30:00-04:00'];
  t.regex((await at(t, 'America/New_York', exported, ...never)).join(), /\(2 times, lines 1, 2\)$/);
});
