import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { FormDocument } from '@ranger-relay/site';
import { propertiesOf } from '../form/merge.ts';
import { employee, patrol, transport, type TestBundle } from '../test/bundle.ts';
import { areas, type Areas, north, south, zone } from './test/areas.ts';

test('undo of an area leaves what another area needs, and names it', async (t) => {
  const here = await areas(t);
  const shared = { employees: [employee('f1')], transports: [transport('b1', 'foot')] };
  t.is((await here.of(north, { ...shared, transports: [transport('b1', 'foot'), transport('b2', 'boat')] })).code, 0);
  t.is((await here.of(south, { ...shared, employees: [employee('f1'), employee('f2')] })).code, 0);
  const { code, out } = await here.undoOf(north);
  t.is(code, 3);
  for (const what of [
    'patrol type patrol_foot',
    'universal patrol fields',
    'choice patrol_mandate routine',
    'subject "Ranger f1"',
  ])
    t.regex(out, new RegExp(`left: ${what}.*area South \\(052\\) needs it`), what);
  const { types, form } = here.site.state();
  t.deepEqual(
    types.map(({ value }) => value),
    ['patrol_foot'],
  );
  t.true(propertiesOf(form as FormDocument).includes('station'));
  t.true(here.choice('routine')?.is_active);
  t.true(here.subject('f1').is_active);
  t.is((await here.undoOf(south)).code, 0);
  t.is((await here.undoOf(north)).code, 0);
  t.deepEqual(here.site.state().types, []);
  t.false(here.subject('f1').is_active);
});

test('undo refuses to begin while a record beside it cannot be read, because it cannot know what other areas need; a run warns of it', async (t) => {
  const here = await areas(t);
  await here.of(north);
  const [ofNorth = ''] = here.records();
  await here.of(south);
  const damaged = join(here.folder, here.records().find((name) => name !== ofNorth) ?? '');
  writeFileSync(damaged, readFileSync(damaged).subarray(0, 900));
  const before = here.site.state();
  const { code, err } = await here.undoOf(north);
  t.is(code, 1);
  t.true(err.includes(damaged) && err.includes('move it out of the folder'), err);
  t.deepEqual(here.site.state(), before);
  t.true((await here.of(north, {}, '--dry-run')).err.includes(damaged));
  unlinkSync(damaged);
  t.is((await here.undoOf(north)).code, 0);
});

for (const [how, carryOut] of [
  ['a run', (here: Areas, bundle: TestBundle) => here.of(south, bundle)],
  [
    'an approved plan',
    async (here: Areas, bundle: TestBundle) => {
      const plan = join(here.folder, 'plan.json');
      await here.of(south, bundle, '--dry-run', '--plan-out', plan);
      const checklist = join(here.folder, 'checklist.md');
      return here.run('apply', '--plan', plan, '--checklist', checklist, ...here.onSite);
    },
  ],
] as const)
  test(`undo of an area leaves what ${how} of another area found there and did not have to write`, async (t) => {
    const here = await areas(t);
    const shared = { employees: [employee('f1')], transports: [transport('b1', 'foot')] };
    t.is((await here.of(north, shared)).code, 0);
    here.writes();
    const found = await carryOut(here, shared);
    t.is(found.code, 0);
    t.regex(found.out, /^Run record: /m);
    t.deepEqual(here.writes(), []);
    const records = here.records();
    t.is((await here.of(south, shared)).code, 0);
    t.deepEqual(here.records(), records);
    t.is((await here.undoOf(north)).code, 3);
    t.true(here.subject('f1').is_active);
    t.true(here.choice('routine')?.is_active);
    t.is(here.site.state().types.length, 1);
    const { code, out } = await here.undoOf(south);
    t.is(code, 0);
    t.regex(out, /^The run wrote nothing; its area does not count/m);
    t.is((await here.undoOf(north)).code, 0);
    t.deepEqual(here.site.state().types, []);
    t.is((await here.of(south, shared)).code, 0);
    t.not(here.records().length, records.length);
  });

test('undo of an area leaves in use what its run took into use again, while another area needs it', async (t) => {
  const here = await areas(t);
  const shared = { employees: [employee('f1')], transports: [transport('b1', 'foot')] };
  t.is((await here.of(north, shared)).code, 0);
  t.is((await here.undoOf(north)).code, 0);
  t.deepEqual([here.subject('f1').is_active, here.choice('routine')?.is_active], [false, false]);
  t.is((await here.of(north, shared)).code, 0);
  t.is((await here.of(south, shared)).code, 0);
  const { code, out } = await here.undoOf(north);
  t.is(code, 3);
  for (const what of ['choice patrol_mandate routine', 'subject "Ranger f1"'])
    t.regex(out, new RegExp(`left: ${what}.*area South \\(052\\) needs it`), what);
  t.deepEqual([here.subject('f1').is_active, here.choice('routine')?.is_active], [true, true]);
  t.is((await here.undoOf(south)).code, 0);
  t.is((await here.undoOf(north)).code, 0);
  t.deepEqual([here.subject('f1').is_active, here.choice('routine')?.is_active], [false, false]);
});

test('what a later export of an area uses too stays when another area is undone, though nothing had to be written for it', async (t) => {
  const here = await areas(t);
  const [foot, boat] = [transport('b1', 'foot'), transport('b2', 'boat')];
  t.is((await here.of(south, { employees: [employee('f2')], transports: [foot] })).code, 0);
  t.is((await here.of(north, { employees: [employee('f1')], transports: [foot, boat] })).code, 0);
  here.writes();
  t.is((await here.of(south, { employees: [employee('f2')], transports: [foot, boat] })).code, 0);
  t.deepEqual(here.writes(), []);
  const { code, out } = await here.undoOf(north);
  t.is(code, 3);
  t.regex(out, /^left: patrol type patrol_boat .*area South \(052\) needs it/m);
  t.is(here.site.state().types.length, 2);
});

test('undo of an area keeps what the bundle of another one names though it is not in use there', async (t) => {
  const here = await areas(t);
  const [foot, boat, car] = [transport('b1', 'foot', false), transport('b2', 'boat'), transport('b3', 'car')];
  t.is((await here.of(north, { transports: [foot, boat, car], patrol_attributes: [zone('NUMERIC', false)] })).code, 0);
  const bundle = {
    transports: [foot, transport('b2', 'boat', false)],
    patrol_attributes: [zone('NUMERIC', false)],
    employees: [employee('f2')],
  };
  t.is((await here.of(south, bundle)).code, 0);
  const { code, out } = await here.undoOf(north);
  t.is(code, 3);
  t.regex(out, /^left: patrol type patrol_foot "foot" \(area South \(052\) names it\)/m);
  t.regex(out, /^undone: patrol type patrol_boat "boat": is_active true → false \(area South \(052\) names it\)/m);
  t.regex(out, /^left: universal patrol fields \(area South \(052\) needs it: .*ext_zone\)/m);
  t.deepEqual(
    here.site.state().types.map(({ value, is_active }) => [value, is_active]),
    [
      ['patrol_foot', false],
      ['patrol_boat', false],
    ],
  );
  t.is((await here.run('verify', '--bundle', here.bundleOf(south), ...here.onSite)).code, 0);
});

test('a type that the patrols of an area need stays for them, though its transport is inactive: the other area is told so, and its undo leaves it', async (t) => {
  const here = await areas(t);
  const inactive = { transports: [transport('b1', 'foot', false)] };
  t.is((await here.of(north, { transports: [transport('b1', 'foot')] })).code, 0);
  const [first = ''] = here.records();
  const needing = { ...inactive, employees: [employee('f2')], patrols: [patrol(['f2'])] };
  t.is((await here.of(south, needing)).code, 0);
  const { err } = await here.of(north, inactive);
  t.regex(err, /Warning: The patrol type patrol_foot stays active .*: area South \(052\) uses it/);
  t.regex(here.read('checklist.md').replaceAll('\\', ''), /^- \[x\] The patrol type patrol_foot stays active/m);
  const { out } = await here.run('undo', join(here.folder, first), ...here.onSite);
  t.regex(out, /^left: patrol type patrol_foot \(area South \(052\) needs it\)/m);
  t.true(here.site.state().types[0]?.is_active);
});

test('of a type that patrols of two areas need, the checklist of each asks to make it inactive after the import, unless the other uses it', async (t) => {
  const here = await areas(t);
  t.is((await here.of(north, { transports: [transport('b1', 'foot')] })).code, 0);
  for (const [area, pair] of [
    [south, 'f2'],
    [north, 'f1'],
    [south, 'f2'],
  ] as const) {
    const transports = [transport('b1', 'foot', false)];
    t.is((await here.of(area, { transports, employees: [employee(pair)], patrols: [patrol([pair])] })).code, 0);
  }
  const items = here
    .read('checklist.md')
    .replaceAll('\\', '')
    .match(/^- \[ \] The patrol type patrol_foot stays active .* unless area \w+/gm);
  t.deepEqual(items?.map((item) => item.split(' ').at(-1)).toSorted(), ['North', 'South']);
});
