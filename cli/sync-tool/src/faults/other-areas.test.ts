import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { plannedForm } from '../form/planned.ts';
import { employee, id, named, writeTestBundle, type TestBundle } from '../test/bundle.ts';
import { openHarness } from '../test/harness.ts';
import { fieldsBeside } from '../resources/form.ts';
import { areas, north, south, zone } from './test/areas.ts';

const [early, late] = ['2026-01-31T00:00:00+00:00', '2026-02-28T00:00:00+00:00'];

/** A bundle with one mandate. */
const mandate = (isActive: boolean) => ({
  mandates: [{ uuid: id('d1'), key: 'routine', ...named('Routine', isActive) }],
});

const mandateAndZone = (isActive: boolean): TestBundle => ({
  ...mandate(isActive),
  patrol_attributes: [zone('NUMERIC', isActive)],
});

test('an option that another area uses stays active, with a warning and a note on the checklist that nobody has to act on', async (t) => {
  const here = await areas(t);
  t.is((await here.of(north, mandate(true))).code, 0);
  here.writes();
  const { code, err } = await here.of(south, mandate(false));
  t.is(code, 0);
  t.true(here.choice('routine')?.is_active);
  t.regex(err, /Warning: The option routine of patrol_mandate stays active: area North \(051\) uses it/);
  t.regex(
    here.read('checklist.md').replaceAll('\\', ''),
    /^- \[x\] The option routine of patrol_mandate stays active: area North \(051\)/m,
  );
});

test('what two areas no longer use goes out of use, though each had left it for the other', async (t) => {
  const here = await areas(t);
  t.is((await here.of(north, mandateAndZone(true))).code, 0);
  t.is((await here.of(south, { ...mandateAndZone(false), employees: [employee('f2')] })).code, 0);
  t.true(here.choice('routine')?.is_active);
  t.is((await here.of(north, mandateAndZone(false))).code, 0);
  t.false(here.choice('routine')?.is_active);
  const { json } = here.site.state().form as { json: { properties: Record<string, object> } };
  t.like(json.properties['ext_zone'], { deprecated: true });
});

test('a field that another area uses keeps its kind and stays in use', async (t) => {
  const here = await areas(t);
  t.is((await here.of(north, { patrol_attributes: [zone('NUMERIC')] })).code, 0);
  t.is((await here.of(south, { patrol_attributes: [zone('TEXT')] })).code, 0);
  const field = () =>
    (here.site.state().form as { json: { properties: Record<string, object> } }).json.properties['ext_zone'];
  t.like(field(), { type: 'number', deprecated: false });
  t.is((await here.of(south, { patrol_attributes: [zone('NUMERIC', false)] })).code, 0);
  t.like(field(), { type: 'number', deprecated: false });
  here.writes();
  t.is((await here.of(north, { patrol_attributes: [zone('NUMERIC')] })).code, 0);
  t.deepEqual(here.writes(), []);
});

test('--replace-segment-schema keeps a field that another area needs, in the plan and the run, and names it', async (t) => {
  const here = await areas(t);
  t.is((await here.of(north, { patrol_attributes: [zone('NUMERIC')] })).code, 0);
  const properties = () => (here.site.state().form as { json: { properties: Record<string, object> } }).json.properties;
  const before = properties()['ext_zone'];
  for (const bundle of [{}, { patrol_attributes: [zone('TEXT')] }]) {
    const { code, err } = await here.of(south, bundle, '--replace-segment-schema');
    t.is(code, 0, err);
    t.deepEqual(properties()['ext_zone'], before);
    t.regex(err, /^Warning: The field ext_zone stays .*area North \(051\) uses it/m);
    t.regex(here.read('checklist.md').replaceAll('\\', ''), /The field ext_zone stays/);
  }
  here.writes();
  t.is((await here.of(north, { patrol_attributes: [zone('NUMERIC')] })).code, 0);
  t.deepEqual(here.writes(), []);
});

test('who moved to another area belongs to the bundle exported later, and no run of either area changes that again', async (t) => {
  const here = await areas(t);
  const [before, after] = [
    { employees: [employee('f1'), employee('f2')], exportedAt: early },
    { employees: [employee('f2')], exportedAt: late },
  ];
  const theirs = { employees: [employee('f1')], exportedAt: late };
  t.is((await here.of(north, before)).code, 0);
  t.is((await here.of(south, theirs)).code, 0);
  t.is(here.subject('f1').additional['ext_conservation_area'], south.uuid);
  here.writes();
  for (const [area, bundle] of [
    [north, after],
    [north, before],
    [south, theirs],
    [north, after],
  ] as const) {
    t.is((await here.of(area, bundle)).code, 0);
    t.true(here.subject('f1').is_active);
    t.deepEqual(here.writes(), []);
  }
});

test('who left one area before the other one shows them again is taken over there for good', async (t) => {
  const here = await areas(t);
  t.is((await here.of(north, { employees: [employee('f1'), employee('f2')], exportedAt: early })).code, 0);
  const gone = { employees: [employee('f2')], exportedAt: late };
  t.is((await here.of(north, gone)).code, 0);
  t.false(here.subject('f1').is_active);
  t.is((await here.of(south, { employees: [employee('f1')], exportedAt: early })).code, 0);
  t.true(here.subject('f1').is_active);
  t.is((await here.of(north, gone)).code, 0);
  t.true(here.subject('f1').is_active);
});

test('a token that is no longer shown the rangers of earlier runs makes nobody again', async (t) => {
  const here = await openHarness(t, (folder) =>
    writeTestBundle(folder, { employees: [employee('f1'), employee('f2')] }),
  );
  const token = ['--site-token', here.site.ordinaryToken];
  t.is((await here.sync(...token)).code, 0);
  here.site.tokens.put({ token: here.site.ordinaryToken, groups: [] });
  here.writes();
  const { code, json } = await here.sync(...token, '--output', 'json');
  t.is(code, 1);
  t.like(json(), { failures: [{ step: 'subjects', reason: 'subjects_hidden' }] });
  t.deepEqual(here.writes(), []);
  t.regex(here.read('checklist.md'), /Let the token view the groups/);
  t.is(here.site.state().subjects.length, 2);
});

test('subjects that were deleted are made again by a superuser, and with --recreate-missing by any token', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { employees: [employee('f1')] }));
  const token = ['--site-token', here.site.ordinaryToken];
  t.is((await here.sync(...token)).code, 0);
  here.site.seed({ subjects: [] });
  t.is((await here.sync(...token)).code, 1);
  t.deepEqual(here.site.state().subjects, []);
  t.is((await here.sync(...token, '--recreate-missing')).code, 0);
  here.site.seed({ subjects: [] });
  t.is((await here.sync()).code, 0);
  t.is(here.site.state().subjects.length, 1);
});

test('records of the other objects of an operator are known: each plan has a numbered folder of its own', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder));
  for (const [area, name, isActive] of [
    [north, 'north-1f2e3d4c', true],
    [south, 'south-5a6b7c8d', false],
  ] as const) {
    const bundle = join(here.folder, area.id);
    await writeTestBundle(bundle, { ...mandate(isActive), area });
    const checklist = join(here.folder, 'output', name, '1', 'checklist.md');
    t.is((await here.run('patrol-datamodel', '--bundle', bundle, '--checklist', checklist, ...here.onSite)).code, 0);
  }
  t.true(here.site.state().choices.find(({ value }) => value === 'routine')?.is_active);
});

test('what a run would change of another area whose record lies elsewhere is said in one warning with its number, all of it', async (t) => {
  const here = await areas(t);
  const mandates = Array.from({ length: 7 }, (_, at) =>
    Object.assign(named(`M${at}`), { uuid: id(`d${at}`), key: `m${at}` }),
  );
  const elsewhere = join(here.folder, 'elsewhere', 'checklist.md');
  t.is((await here.of(north, { mandates }, '--checklist', elsewhere)).code, 0);
  const bundle = { mandates: mandates.map((each) => Object.assign({}, each, { names: { en: 'Ours' } })) };
  const { code, err } = await here.of(south, bundle);
  t.is(code, 0);
  t.is(err.match(/^Warning: /gm)?.length, 1, err);
  t.regex(
    err,
    /^Warning: A run changes values that no run .* \(7\):(\n {2}choice patrol_mandate m\d: display "M\d" → "Ours"){7}$/m,
  );
  const again = await here.of(south, { mandates });
  t.notRegex(again.err, /Warning/);
});

/** A bundle whose mandate and attribute have this label. */
const labelled = (label: string, isActive = true): TestBundle => ({
  mandates: [{ uuid: id('d1'), key: 'routine', ...named(label, isActive) }],
  patrol_attributes: [{ ...zone('NUMERIC'), ...named(`${label} zone`, isActive) }],
});

test('what a run takes out of use without a record of who uses it has a warning of its own, with the remedy that keeps it', async (t) => {
  const here = await areas(t);
  const elsewhere = join(here.folder, 'elsewhere', 'checklist.md');
  t.is((await here.of(north, labelled('North'), '--checklist', elsewhere)).code, 0);
  const { err } = await here.of(south, labelled('South', false), '--dry-run');
  t.is(err.match(/^Warning: /gm)?.length, 2, err);
  t.regex(
    err,
    /^Warning: A run takes out of use .* --checklist in the folder .* \(2\):\n {2}.* deprecated of ext_zone false → true\n {2}.* routine: is_active true → false$/m,
  );
  const beside = await here.of(south, labelled('South', false), '--checklist', elsewhere);
  t.notRegex(beside.err, /takes out of use/);
  t.true(here.choice('routine')?.is_active);
});

test('a field that an area has out of use says so in the plan, and another area that uses it in a warning', async (t) => {
  const here = await areas(t);
  const retired = { patrol_attributes: [zone('NUMERIC', false)] };
  const plan = await here.of(north, retired, '--dry-run');
  t.regex(plan.out, /^ *\+ ext_zone "Zone" \(not in use\)$/m);
  t.is((await here.of(north, retired)).code, 0);
  const { err } = await here.of(south, { patrol_attributes: [zone('NUMERIC')] });
  t.regex(
    err,
    /^Warning: A run puts in use again what area North \(051\) has out of use; .* \(1\):\n {2}.* deprecated of ext_zone true → false$/m,
  );
});

test('an area that gives a shared value another text names the area that gave it, and both texts, at each run', async (t) => {
  const here = await areas(t);
  t.notRegex((await here.of(north, labelled('North'))).err, /Warning/);
  for (const [area, other, before, after] of [
    [south, north, 'North', 'South'],
    [north, south, 'South', 'North'],
    [south, north, 'North', 'South'],
  ] as const) {
    const { code, err } = await here.of(area, labelled(after));
    t.is(code, 0);
    t.is(err.match(/^Warning: /gm)?.length, 1, err);
    t.regex(
      err,
      new RegExp(
        `^Warning: A run changes texts that area ${other.name} \\(${other.id}\\) .* \\(2\\):\n  .*title of ext_zone "${before} zone" → "${after} zone"\n  .*routine: display "${before}" → "${after}"$`,
        'm',
      ),
    );
    t.is(here.choice('routine')?.display, after);
  }
  t.notRegex((await here.of(south, labelled('South'))).err, /Warning/);
});

test('the box that a person set survives a run that could not look whether its item still exists', async (t) => {
  const here = await areas(t);
  t.is((await here.of(north, mandate(true))).code, 0);
  t.is((await here.of(south, { ...mandate(false), employees: [employee('f2')] })).code, 0);
  const list = join(here.folder, 'checklist.md');
  const item = /^- \[x\] (The option routine .*)$/m;
  writeFileSync(list, here.read('checklist.md').replace(item, '- [ ] $1\n  Ben knows'));
  here.site.tokens.revoke(here.site.token, 'choices.view_choice');
  t.is((await here.of(south, mandate(false))).code, 1);
  t.regex(here.read('checklist.md'), /^- \[ \] The option routine .*\n {2}Ben knows$/m);
  here.site.tokens.grant(here.site.token, 'choices.view_choice');
  t.is((await here.of(south, mandate(false))).code, 0);
  t.regex(here.read('checklist.md'), /^- \[ \] The option routine .*\n {2}Ben knows$/m);
  t.is(here.read('checklist.md').match(/The option routine/g)?.length, 1);
});

test('a field that is inactive in an exported bundle is left as it is while another area uses it', (t) => {
  const needs = {
    patrol_types: [],
    choices: {},
    fields: { ext_zone: 'number' as const },
    subjects: {},
    unused: { patrol_types: [], fields: [] },
  };
  const retired = {
    property: 'ext_zone',
    title: 'Zone',
    kind: 'number',
    deprecated: true,
    retired: true,
    core: false,
  } as const;
  const form = plannedForm([{ ...retired, deprecated: false }]);
  const kept: string[] = [];
  t.deepEqual(
    fieldsBeside([retired], form, [{ uuid: id('aa'), title: 'North (051)', exportedAt: early, needs }], kept),
    [],
  );
  t.deepEqual(kept, ['The field ext_zone stays in use: area North (051) uses it']);
  t.deepEqual(fieldsBeside([retired], form, [], []), [retired]);
});
