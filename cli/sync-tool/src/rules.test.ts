import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import { dashed, employee, id, named, patrol, transport, writeTestBundle, type TestBundle } from './test/bundle.ts';
import { openHarness, type Harness } from './test/harness.ts';

const harness = (t: ExecutionContext, bundle: TestBundle = {}, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeTestBundle(folder, bundle), options);

const marks = { ext_managed_by: 'patrol-datamodel', ext_conservation_area: id('aa') };
const station = (pair: string, label: string | null, isActive = true) => ({
  uuid: id(pair),
  ...named(label, isActive),
});
const atStation = (pair: string) => patrol([], { station_uuid: id(pair) });
const choiceOf = ({ site }: Harness, value: string) => site.state().choices.find((choice) => choice.value === value);
const subjectNamed = ({ site }: Harness, name: string) =>
  site.state().subjects.find((subject) => subject.name === name);

test('rule 1: an option that the bundle does not name is left as it is and counted', async (t) => {
  const choices = [{ field: 'patrol_mandate', value: 'of_an_admin', display: 'Of an admin' }];
  const here = await harness(t, {}, { state: { choices } });
  const before = choiceOf(here, 'of_an_admin');
  const { json } = await here.sync('--output', 'json');
  t.is(json()['options_not_in_bundle'], 1);
  t.deepEqual(choiceOf(here, 'of_an_admin'), before);
});

test('rule 2: a station is keyed by its uuid and shown by its label in the language of the run', async (t) => {
  const languages = [
    { code: 'en', name: 'English', is_default: true },
    { code: 'fr', name: 'French', is_default: false },
  ];
  const post = { uuid: id('c1'), is_active: true, names: { en: 'North Post', fr: 'Poste nord' } };
  const here = await harness(t, { stations: [post], languages });
  t.is((await here.sync('--ext-language', 'fr')).code, 0);
  t.is(choiceOf(here, id('c1'))?.display, 'Poste nord');
});

test('rule 3: a station without a name is offered only when a patrol uses it, and then asked about', async (t) => {
  const here = await harness(t, { stations: [station('c2', null), station('c3', null)], patrols: [atStation('c3')] });
  await here.sync();
  t.like(choiceOf(here, id('c2')), { display: 'Unnamed station c2c2c2c2', is_active: false });
  t.like(choiceOf(here, id('c3')), { display: 'Unnamed station c3c3c3c3', is_active: true });
  const list = here.read('checklist.md');
  t.true(list.includes(id('c3')));
  t.false(list.includes(id('c2')));
});

test('rule 4: a subject is matched by the employee it names, in any spelling and area', async (t) => {
  const subjects = [{ name: 'Old name', additional: { ext_member_id: 'F1F1F1F1-F1F1-F1F1-F1F1-F1F1F1F1F1F1' } }];
  const here = await harness(t, {}, { state: { subjects } });
  await here.sync();
  t.deepEqual(
    here.site.state().subjects.map(({ name }) => name),
    ['Ranger f1'],
  );
});

test('rule 4: a subject of this area without an employee is matched by a staff id that is unique', async (t) => {
  const subjects = [
    { name: 'By staff id', additional: { ext_employee_id: 'staff-f1', ext_conservation_area: id('aa') } },
    { name: 'Of nobody', additional: { ext_employee_id: 'staff-f2' } },
  ];
  const here = await harness(t, { employees: [employee('f1'), employee('f2')] }, { state: { subjects } });
  await here.sync();
  t.deepEqual(
    here.site
      .state()
      .subjects.map(({ name }) => name)
      .sort(),
    ['Of nobody', 'Ranger f1', 'Ranger f2'],
  );
});

test('rule 4: a staff id that two employees have matches neither', async (t) => {
  const subjects = [{ name: 'Either', additional: { ext_employee_id: '7', ext_conservation_area: id('aa') } }];
  const employees = [employee('f1', { id: '7' }), employee('f2', { id: '7' })];
  const here = await harness(t, { employees }, { state: { subjects } });
  await here.sync();
  t.is(here.site.state().subjects.length, 3);
});

for (const [what, additional, matched] of [
  ['names another employee', [{ ext_member_id: id('f9'), ext_conservation_area: id('aa') }], false],
  ['is not the only one with it', [{ ext_conservation_area: id('aa') }, { ext_conservation_area: id('aa') }], false],
  ['records the area in the older key', [{ ca_uuid: 'AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA' }], true],
] as const)
  test(`rule 4: a subject with the staff id of an employee that ${what} is ${matched ? '' : 'not '}matched by it`, async (t) => {
    const subjects = additional.map((each) => ({
      name: 'There already',
      additional: { ext_employee_id: 'staff-f1', ...each },
    }));
    const here = await harness(t, {}, { state: { subjects } });
    await here.sync();
    const names = here.site.state().subjects.map(({ name }) => name);
    t.deepEqual(names, [...(matched ? [] : subjects.map(({ name }) => name)), 'Ranger f1']);
  });

test('rule 5: a subject is patched when its name, activity or identity differs, and only then', async (t) => {
  const right = {
    ext_member_id: dashed('f1'),
    ext_employee_id: 'staff-f1',
    ext_ca_uuid: dashed('aa'),
    ...marks,
  };
  for (const [subject, patched] of [
    [{ name: 'Ranger f1', additional: right }, 0],
    [{ name: 'Ranger f1', additional: { ...right, ext_member_id: id('f1') } }, 1],
    [{ name: 'Ranger f1', additional: { ...right, ext_member_id: dashed('f1').toUpperCase() } }, 1],
    [{ name: 'Ranger f1', additional: { ...right, ext_ca_uuid: id('aa') } }, 1],
    [{ name: 'Ranger f1', additional: { ...right, ext_conservation_area: dashed('aa') } }, 0],
    [{ name: 'Other', additional: right }, 1],
    [{ name: 'Ranger f1', is_active: false, additional: right }, 1],
    [{ name: 'Ranger f1', additional: { ...right, ext_employee_id: 'x' } }, 1],
    [{ name: 'Ranger f1', additional: { ...right, ext_rank: 'Sergeant' } }, 1],
  ] as const) {
    const here = await harness(t, {}, { state: { subjects: [subject] } });
    await here.sync();
    const patches = here.writes().filter(({ method, path }) => method === 'PATCH' && path.startsWith('subject/'));
    t.is(patches.length, patched, JSON.stringify(subject));
  }
});

test('rule 5: what the site keeps of a subject beside our members survives a patch', async (t) => {
  const subjects = [{ name: 'Old', additional: { ext_member_id: id('f1'), colour: 'red' } }];
  const here = await harness(t, {}, { state: { subjects } });
  await here.sync();
  t.is(subjectNamed(here, 'Ranger f1')?.additional['colour'], 'red');
});

test('rule 6: a subject that an earlier run made and nobody plans any more is deactivated, not deleted', async (t) => {
  const subjects = [
    { name: 'Gone', additional: { ext_member_id: id('f9'), ...marks } },
    { name: 'Of another area', additional: { ext_member_id: id('f8'), ...marks, ext_conservation_area: id('bb') } },
    { name: 'Made by hand', additional: { ext_member_id: id('f7'), ext_conservation_area: id('aa') } },
  ];
  const here = await harness(t, {}, { state: { subjects } });
  await here.sync();
  t.is(subjectNamed(here, 'Gone')?.is_active, false);
  t.is(subjectNamed(here, 'Of another area')?.is_active, true);
  t.is(subjectNamed(here, 'Made by hand')?.is_active, true);
});

test('rule 7: a login that was on no patrol is left out; one that was a member is a subject', async (t) => {
  const employees = [employee('f1', { has_ext_login: true }), employee('f2', { has_ext_login: true })];
  const here = await harness(t, { employees, patrols: [patrol(['f2'])] });
  const { json } = await here.sync('--output', 'json');
  t.is(json()['logins_left_out'], 1);
  t.deepEqual(
    here.site.state().subjects.map(({ name }) => name),
    ['Ranger f2'],
  );
});

test('rule 8: employees without the login flag are all taken', async (t) => {
  const { has_ext_login: _, ...unflagged } = employee('f1');
  const here = await harness(t, { employees: [unflagged] });
  await here.sync();
  t.is(here.site.state().subjects.length, 1);
});

test('rule 9: a dry run reports nobody added to the roster, and sends no write', async (t) => {
  const here = await harness(t);
  const { code, json } = await here.dry('--output', 'json');
  t.is(code, 0);
  t.is(json()['roster_added'], 0);
  t.deepEqual(here.writes(), []);
  t.deepEqual(here.records(), []);
});

test('rule 10: nothing is deleted, and neither teams nor groups are made', async (t) => {
  const teams = [{ uuid: id('ab'), key: 'alpha', mandate_uuid: null, ...named('Alpha') }];
  const here = await harness(t, { teams, stations: [station('c1', 'Post')] });
  await here.sync();
  const made = here.site.state();
  await writeTestBundle(here.bundle, {
    transports: [transport('b2', 'boat')],
    mandates: [{ uuid: id('d2'), key: 'other', ...named('Other') }],
    employees: [employee('f2')],
  });
  t.is((await here.sync('--replace-segment-schema')).code, 0);
  const all = here.writes();
  t.true(all.some(({ method, path }) => method === 'PATCH' && path.startsWith('subject/')));
  t.false(all.some(({ method }) => method === 'DELETE'));
  t.false(all.some(({ path }) => path.startsWith('subjectgroups') || path.includes('team')));
  const now = here.site.state();
  for (const table of ['types', 'choices', 'subjects', 'groups'] as const) {
    const there = new Set(now[table].map((row) => row.id));
    t.true(
      made[table].every((row) => there.has(row.id)),
      table,
    );
  }
  t.is(now.groups.length, made.groups.length);
  for (const [at, group] of made.groups.entries())
    t.true(
      group.subjects.every((member) => now.groups[at]?.subjects.includes(member)),
      group.name,
    );
});

test('rule 11: after a clean-up a run recreates everything', async (t) => {
  const here = await harness(t);
  await here.sync();
  const first = here.site.state();
  here.site.seed({ types: [], choices: [], subjects: [], form: null });
  await here.sync();
  const again = here.site.state();
  const values = (state: typeof first) => [
    state.types.map(({ value }) => value),
    state.choices.map(({ value }) => value).sort(),
    state.subjects.map(({ name }) => name),
  ];
  t.deepEqual(values(first), [['patrol_foot'], ['ground', 'routine'], ['Ranger f1']]);
  t.deepEqual(values(again), values(first));
  t.not(first.form, null);
  t.deepEqual(again.form, first.form);
});

const inactive = <T extends object>(row: T): T => ({ ...row, is_active: false });

test('rule 11: after a clean-up that made all inactive a run makes it active again', async (t) => {
  const here = await harness(t);
  await here.sync();
  const { types, choices, subjects } = here.site.state();
  here.site.seed({
    types: types.map(inactive),
    choices: choices.map(inactive),
    subjects: subjects.map(inactive),
  });
  t.is((await here.sync()).code, 0);
  const now = here.site.state();
  t.deepEqual([now.types, now.choices, now.subjects], [types, choices, subjects]);
});

test('timezone rule 1: timestamps are taken as they are, whatever zone the run is told', async (t) => {
  // In UTC it is the day before, when one of them was still employed and the other not yet.
  const exportedAt = '2026-01-31T00:30:00+08:00';
  const employees = [
    employee('f1', { employment: { start: '2019-03-01', end: '2026-01-30' } }),
    employee('f2', { employment: { start: '2026-01-31', end: null } }),
  ];
  const here = await harness(t, { timezone: 'Asia/Manila', exportedAt, employees });
  t.is((await here.sync('--timezone', 'asia/manila')).code, 0);
  t.deepEqual(
    here.site.state().subjects.map(({ name }) => name),
    ['Ranger f2'],
  );
  t.is(here.record().bundle.exported_at, exportedAt);
});

test('timezone rule 2: another zone than the bundle’s stops the run before the first call and says how to export again', async (t) => {
  const here = await harness(t, { timezone: 'Asia/Manila' });
  const { code, err } = await here.sync('--timezone', 'Africa/Nairobi');
  t.is(code, 1);
  t.regex(err, /EXT_TIMEZONE/);
  t.deepEqual(here.site.log.entries(), []);
  t.deepEqual(here.files(), []);
});

test('timezone rule 3: an inferred zone that nobody asserts is a warning', async (t) => {
  const here = await harness(t, { timezone: 'Asia/Manila', timezoneSource: 'inferred' });
  const { code, err } = await here.sync();
  t.is(code, 0);
  t.regex(err, /Warning: .*inferred/);
  t.notRegex((await here.sync('--timezone', 'Asia/Manila')).err, /inferred/);
});

for (const [label, isActive, used, expected] of [
  ['Post', true, false, true],
  ['Post', false, false, false],
  ['Post', true, true, true],
  ['Post', false, true, true],
  [null, true, false, false],
  [null, false, false, false],
  [null, true, true, true],
  [null, false, true, true],
] as const)
  test(`state: a station ${label === null ? 'without' : 'with'} a name, ${isActive ? 'active' : 'inactive'} and ${used ? 'used' : 'unused'}, is ${expected ? 'active' : 'inactive'}`, async (t) => {
    const here = await harness(t, {
      stations: [station('c1', label, isActive)],
      patrols: used ? [atStation('c1')] : [],
    });
    await here.sync();
    t.is(choiceOf(here, id('c1'))?.is_active, expected);
  });

test('state: an inactive transport makes an inactive type, and no type is ever deactivated', async (t) => {
  const transports = [transport('b1', 'foot', false), transport('b2', 'boat', false)];
  const here = await harness(t, { transports }, { state: { types: [{ value: 'patrol_boat', display: 'boat' }] } });
  await here.sync();
  const active = Object.fromEntries(here.site.state().types.map(({ value, is_active }) => [value, is_active]));
  t.deepEqual(active, { patrol_boat: true, patrol_foot: false });
});

test('state: a type whose transport became inactive stays, with a warning and an item until an admin has made it inactive', async (t) => {
  const here = await harness(t, { transports: [transport('b1', 'foot')] });
  t.notRegex((await here.sync()).err, /Warning/);
  await writeTestBundle(here.bundle, { transports: [transport('b1', 'foot', false)] });
  here.writes();
  for (const call of [here.dry, here.sync]) {
    const { code, err } = await call();
    t.is(code, 0);
    t.regex(
      err,
      /^Warning: The patrol type patrol_foot stays active although its transport is inactive: .* on the site \("foot"\)$/m,
    );
  }
  t.deepEqual(here.writes(), []);
  const item = /^- \[ \] The patrol type patrol_foot stays active/m;
  t.regex(here.read('checklist.md').replaceAll('\\', ''), item);
  here.site.edit('types', here.site.state().types[0]?.id ?? '', { is_active: false });
  t.notRegex((await here.sync()).err, /Warning/);
  t.notRegex(here.read('checklist.md').replaceAll('\\', ''), item);
});

test('state: of a type that patrols need and whose transport is inactive, checklist and verdict both say that it is active until the import has ended', async (t) => {
  const here = await harness(t, { transports: [transport('b1', 'foot', false)], patrols: [patrol(['f1'])] });
  await here.sync();
  const list = (): string => here.read('checklist.md').replaceAll('\\', '');
  t.regex(list(), /make inactive ones active on the site until the import has ended/);
  here.site.edit('types', here.site.state().types[0]?.id ?? '', { is_active: true, display: 'Vehicle' });
  t.notRegex((await here.sync()).err, /stays active.*Vehicle/, 'named as the run leaves it');
  await here.run('verify', '--bundle', here.bundle, ...here.onSite);
  t.regex(list(), /patrols of the bundle need it until their import has ended; make it inactive on the site then/);
  t.notRegex(list(), /do that on the site/);
});

test('state: a subject that a run created is inactive after its undo, and stays', async (t) => {
  const here = await harness(t);
  await here.sync();
  await here.run('undo', join(here.folder, here.records()[0] ?? ''), ...here.onSite);
  t.is(subjectNamed(here, 'Ranger f1')?.is_active, false);
});
