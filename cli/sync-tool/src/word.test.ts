import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import { dashed, employee, id, named, writeTestBundle, type TestBundle } from './test/bundle.ts';
import { openHarness, type Harness } from './test/harness.ts';

const attribute = { uuid: id('e1'), key: 'weather', type: 'TEXT', is_active: true, names: { en: 'Weather' } };
const content: TestBundle = { employees: [employee('f1')], patrol_attributes: [attribute] };

const harness = (t: ExecutionContext, bundle: TestBundle = content, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeTestBundle(folder, bundle), options);

const marks = { ext_managed_by: 'patrol-datamodel', ext_conservation_area: id('aa') };
const additionalOf = ({ site }: Harness, name = 'Ranger f1'): Record<string, unknown> | undefined =>
  site.state().subjects.find((subject) => subject.name === name)?.additional;
const additional = (of: Record<string, unknown>, name = 'Ranger f1', is_active = true) => ({
  state: { subjects: [{ name, is_active, additional: of }] },
});

test('under a word of its own a run, its second run and its undo find what they made', async (t) => {
  const here = await harness(t);
  t.is((await here.sync('--ext-word', 'word')).code, 0);
  t.deepEqual(additionalOf(here), {
    ext_conservation_area: id('aa'),
    ext_managed_by: 'patrol-datamodel',
    word_ca_uuid: dashed('aa'),
    word_employee_id: 'staff-f1',
    word_member_id: dashed('f1'),
  });
  const { json } = here.site.state().form as unknown as { json: { properties: object } };
  t.true(Object.hasOwn(json.properties, 'word_weather'));
  t.is(here.record().options.word, 'word');
  here.writes();
  t.is((await here.sync('--ext-word', 'word')).code, 0);
  t.deepEqual(here.writes(), []);
  const { code, out } = await here.run('undo', here.recordPath(), ...here.onSite, '--delete-subjects');
  t.is(code, 0, out);
  t.deepEqual(here.site.state().subjects, []);
});

for (const [what, members] of [
  ['an employee', { other_member_id: dashed('f1') }],
  ['the area', { other_ca_uuid: dashed('aa'), other_member_id: dashed('f9') }],
] as const)
  test(`a site that names ${what} under another word is refused before the first write, unless somebody set the word`, async (t) => {
    const here = await harness(t, content, additional(members));
    const { code, err } = await here.sync();
    t.is(code, 1);
    t.regex(err, /The site names the external system "other"/);
    t.regex(err, /ext\.word/);
    t.deepEqual(here.writes(), []);
    t.is((await here.dry()).code, 1);
    const set = await here.sync('--ext-word', 'ext');
    t.is(set.code, 0);
    const twice = what === 'an employee' ? ', which would make 1 person of the bundle a second time' : '';
    t.regex(set.err, new RegExp(`Warning: The site names the external system "other", and this run "ext"${twice};`));
  });

test('subjects that the undo of a run with another word left inactive name no word: the right one works without being set', async (t) => {
  const here = await harness(t);
  t.is((await here.sync('--ext-word', 'other')).code, 0);
  t.is((await here.run('undo', here.recordPath(), ...here.onSite)).code, 0);
  const { code, err } = await here.sync();
  t.is(code, 0, err);
  t.notRegex(err, /names the external system/);
  t.like(additionalOf(here, 'Ranger f1'), { other_member_id: dashed('f1') });
});

test('where everybody is there under both words, the one of the run works without being set, and takes back what another made', async (t) => {
  const importers = { ext_member_id: dashed('f1'), ext_employee_id: 'staff-f1', ext_ca_uuid: dashed('aa') };
  const here = await harness(t, content, additional(importers));
  const wrong = await here.sync('--ext-word', 'other');
  t.regex(wrong.err, /names the external system "ext", and this run "other", which would make 1 person/);
  const { code, err } = await here.sync();
  t.is(code, 0, err);
  t.deepEqual(
    here.site.state().subjects.map((each) => [Object.hasOwn(each.additional, 'ext_member_id'), each.is_active]),
    [
      [true, true],
      [false, false],
    ],
  );
});

test('a person whom a run deactivates because the subject carries another word is not called gone from the bundle', async (t) => {
  const here = await harness(t);
  t.is((await here.sync()).code, 0);
  const { out } = await here.dry('--ext-word', 'other');
  t.regex(out, /- subject "Ranger f1": in the bundle, but found under another word than that of this run/);
  t.notRegex(out, /no longer in the bundle/);
});

test('a word that is none is refused by the option and by the file', async (t) => {
  const here = await harness(t);
  for (const word of ['patrol', 'A', '1a', 'a-b', 'a'.repeat(17)]) t.is((await here.sync('--ext-word', word)).code, 2);
  t.deepEqual(here.writes(), []);
});

test('a uuid that is not spelled as the import compares it is patched once, and undo restores the spelling', async (t) => {
  const before = { ext_member_id: id('f1'), ext_employee_id: 'staff-f1', ...marks };
  const here = await harness(t, content, additional(before));
  t.is((await here.sync()).code, 0);
  t.deepEqual(additionalOf(here), { ...before, ext_member_id: dashed('f1'), ext_ca_uuid: dashed('aa') });
  const patches = here.writes().filter(({ path }) => path.startsWith('subject/'));
  t.deepEqual(
    patches.map(({ body }) => Object.keys(body as object)),
    [['additional']],
  );
  t.is((await here.sync()).code, 0);
  t.deepEqual(here.writes(), []);
  await here.run('undo', here.recordPath(), ...here.onSite);
  t.deepEqual(additionalOf(here), before);
});

test('a subject as the importer made it is left as it is, and deactivated when its person is gone', async (t) => {
  const made = { ext_member_id: dashed('f1'), ext_employee_id: 'staff-f1', ext_ca_uuid: dashed('aa') };
  const here = await harness(t, content, additional(made));
  await here.sync();
  t.deepEqual(additionalOf(here), made);
  const gone = await harness(t, { employees: [] }, additional(made));
  t.is((await gone.sync()).code, 0);
  t.is(gone.site.state().subjects[0]?.is_active, false);
});

test('a subject that a run only matched says so, and is never deactivated', async (t) => {
  const here = await harness(t, content, additional({ ext_member_id: dashed('f1'), colour: 'red' }));
  await here.sync();
  t.like(additionalOf(here), { ext_managed_by: 'matched', ext_ca_uuid: dashed('aa'), colour: 'red' });
  const gone = await harness(t, { employees: [] }, additional(additionalOf(here) ?? {}));
  t.is((await gone.sync()).code, 0);
  t.is(gone.site.state().subjects[0]?.is_active, true);
});

test('a subject that names another area keeps it', async (t) => {
  const other = { ext_member_id: dashed('f1'), ext_employee_id: 'staff-f1', ext_ca_uuid: dashed('bb') };
  const here = await harness(t, content, additional(other));
  await here.sync();
  t.deepEqual(additionalOf(here), other);
});

test('of two subjects of one employee the one that the import finds is taken; one of ours is deactivated, another one is left', async (t) => {
  const exact = { name: 'Exact', additional: { ext_member_id: dashed('f1'), ext_employee_id: 'staff-f1' } };
  const marked = { name: 'Marked', additional: { ext_member_id: id('f1'), ...marks } };
  const foreign = { name: 'Foreign', additional: { ext_member_id: id('f1') } };
  const here = await harness(t, content, { state: { subjects: [marked, exact, foreign] } });
  const { code, err } = await here.sync();
  t.is(code, 0);
  t.regex(err, /3 subjects stand for employee/);
  t.deepEqual(
    here.site.state().subjects.map(({ name, is_active }) => [name, is_active]),
    [
      ['Marked', false],
      ['Ranger f1', true],
      ['Foreign', true],
    ],
  );
  t.is(additionalOf(here, 'Marked')?.['ext_member_id'], id('f1'));
});

test('the spelling of the marks and of a station is never a difference', async (t) => {
  const identity = { ext_member_id: dashed('f1'), ext_employee_id: 'staff-f1', ext_ca_uuid: dashed('aa') };
  const marked = { ...identity, ...marks, ext_conservation_area: dashed('aa').toUpperCase() };
  const station = { field: 'patrol_station', value: dashed('c1').toUpperCase(), display: 'Post' };
  const here = await harness(
    t,
    { ...content, stations: [{ uuid: id('c1'), ...named('Post') }] },
    { state: { subjects: [{ name: 'Ranger f1', additional: marked }], choices: [station] } },
  );
  t.is((await here.sync()).code, 0);
  t.deepEqual(additionalOf(here), marked);
  const stations = here.site.state().choices.filter(({ field }) => field === 'patrol_station');
  t.deepEqual(
    stations.map(({ value }) => value),
    [station.value],
  );
});

test('ids of a run before are respelled whatever the limit of deactivations, counted as updates, and a plan that would make the subject is outdated', async (t) => {
  const here = await harness(t);
  const plan = join(here.folder, 'plan.json');
  t.is((await here.dry('--plan-out', plan)).code, 0);
  here.site.seed({
    subjects: [{ name: 'Ranger f1', additional: { ext_member_id: id('f1'), ext_employee_id: 'staff-f1', ...marks } }],
  });
  const outdated = await here.run('apply', '--plan', plan, ...here.onSite, '--output', 'json');
  t.is(outdated.json()['reason'], 'plan_outdated');
  t.deepEqual(here.writes(), []);
  const { code, json } = await here.sync('--max-deactivations', '0', '--output', 'json');
  t.is(code, 0);
  t.like(json(), { steps: { subjects: { created: 0, updated: 1, deactivated: 0 } } });
});

test('a subject that names no area, or this one in another way, gets the area as the import reads it', async (t) => {
  for (const area of [{}, { ca_uuid: dashed('aa') }, { ext_ca_uuid: id('aa').toUpperCase() }, marks]) {
    const here = await harness(t, content, additional({ ext_member_id: dashed('f1'), ...area }));
    await here.sync();
    t.is(additionalOf(here)?.['ext_ca_uuid'], dashed('aa'), JSON.stringify(area));
  }
});

test('the area of a subject moves with the marker', async (t) => {
  const theirs = { ...marks, ext_conservation_area: id('bb'), ext_ca_uuid: dashed('bb') };
  const here = await harness(t, content, additional({ ext_member_id: dashed('f1'), ...theirs }, 'Ranger f1', false));
  await here.sync();
  t.like(additionalOf(here), { ext_conservation_area: id('aa'), ext_ca_uuid: dashed('aa') });
});

test('agency and rank stand only on subjects that a run of ours made', async (t) => {
  const agency = { key: 'parks', names: { en: 'Parks' } };
  const ranked = { employees: [employee('f1', { agency, rank: { names: { en: 'Chief' } } })] };
  const imported = { ext_member_id: dashed('f1'), ext_employee_id: 'staff-f1', ext_ca_uuid: dashed('aa') };
  const theirs = await harness(t, ranked, additional(imported));
  await theirs.sync();
  t.deepEqual(additionalOf(theirs), imported);
  const ours = await harness(t, ranked);
  await ours.sync('--ext-word', 'word');
  t.like(additionalOf(ours), { ext_agency: 'Parks', ext_rank: 'Chief' });
});

test('the choice field of an attribute with a reserved key does not follow the word', async (t) => {
  const reserved = { ...attribute, key: 'station', type: 'LIST', options: [] };
  const here = await harness(t, { ...content, patrol_attributes: [reserved] });
  await here.sync('--ext-word', 'word');
  t.regex(JSON.stringify(here.site.state().form), /"word_station":.*choices\.json\?field=patrol_ext_station"/);
});
