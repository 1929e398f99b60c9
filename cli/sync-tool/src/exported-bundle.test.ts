import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import {
  type ExportedContent,
  patrol,
  reference,
  uuid,
  writeExportedBundle,
} from './bundle/exported/test/exported-bundle.ts';
import { openHarness, type Harness } from './test/harness.ts';

const harness = (
  t: ExecutionContext,
  content: ExportedContent = {},
  options: FreshSiteOptions = {},
): Promise<Harness> => openHarness(t, (folder) => writeExportedBundle(folder, content), options);

test('a default language that the bundle does not list is an error that names it, unless a language is given', async (t) => {
  const here = await harness(t, { manifest: { default_language: 'de' } });
  const { code, err } = await here.sync();
  t.is(code, 1);
  t.regex(err, /The bundle has no language "de"; choose one of en /);
  t.deepEqual(here.writes(), []);
  t.is((await here.sync('--ext-language', 'EN')).code, 0);
});

const [employee] = reference.employees;
const identity = { ext_member_id: uuid('51'), ext_ca_uuid: uuid('ca') };

test('a staff id that the bundle lacks is null in a new subject, and no difference in one without it', async (t) => {
  const content = { reference: { employees: [{ ...employee, id: null }] } };
  const here = await harness(t, content);
  await here.sync();
  t.like(here.site.state().subjects[0]?.additional, { ...identity, ext_employee_id: null });
  const there = await harness(t, content, { state: { subjects: [{ name: 'Asha Ranger', additional: identity }] } });
  t.notRegex((await there.dry()).out, /subject "Asha/);
});

test('a bundle whose login flags have another word ends a run before its first write, unless somebody set the word', async (t) => {
  const { has_ext_login: _, ...rest } = employee ?? {};
  const here = await harness(t, { reference: { employees: [{ ...rest, has_word_login: false }] } });
  const { code, err } = await here.sync();
  t.is(code, 1);
  t.regex(err, /The bundle names the external system "word".*ext\.word/s);
  t.deepEqual(here.writes(), []);
  t.is((await here.sync('--ext-word', 'ext')).code, 0);
});

test('teams that patrols name are listed where the site shows no configuration', async (t) => {
  const patrols = { patrols: [{ ...patrol, team_uuid: uuid('81') }] };
  const here = await harness(t, { patrols }, { switches: { config: 'not_found' } });
  await here.sync();
  t.regex(here.read('checklist.md'), /- \[ \] Create the team "Alpha" .*nobody can see/);
});

test('classes are options in the order of their values', async (t) => {
  const patrol_types = ['MARINE', 'CAMEL', 'AIR'].map((key) => ({ key, active: true }));
  const here = await harness(t, { reference: { patrol_types, transports: [] }, patrols: { patrols: [] } });
  await here.sync();
  const classes = here.site.state().choices.filter(({ field }) => field === 'patrol_class');
  t.deepEqual(
    classes.toSorted((a, b) => (a.ordernum ?? 0) - (b.ordernum ?? 0)).map(({ value }) => value),
    ['air', 'camel', 'ground', 'marine', 'mixed'],
  );
});

test('of mandates of one value the first is the option, and a second run writes nothing', async (t) => {
  const mandates = ['A.b', 'a__B'].map((key, at) => ({
    uuid: uuid(`b${at}`),
    key,
    labels: {},
    label: key,
    active: true,
  }));
  const here = await harness(t, { reference: { mandates }, patrols: { patrols: [] } });
  await here.sync();
  const options = here.site.state().choices.filter(({ field }) => field === 'patrol_mandate');
  t.deepEqual(
    options.map(({ value, display }) => [value, display]),
    [['a_b', 'A.b']],
  );
  here.writes();
  await here.sync();
  t.deepEqual(here.writes(), []);
});
