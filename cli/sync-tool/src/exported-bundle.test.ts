import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import {
  type ExportedContent,
  mandatesOfOneValue,
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
const [attribute] = reference.patrol_attributes;
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
  const here = await harness(t, { reference: { mandates: mandatesOfOneValue }, patrols: { patrols: [] } });
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

/** What the form has for each type of attribute: members of both halves. */
const fields: readonly (readonly [type: string, json: object, ui: object])[] = [
  ['NUMERIC', { type: 'number' }, { type: 'NUMERIC' }],
  ['BOOLEAN', { type: 'boolean' }, { type: 'BOOLEAN' }],
  ['DATE', { type: 'string', format: 'date' }, { type: 'DATE_TIME' }],
  ['TIME', { type: 'string', format: 'time' }, { type: 'DATE_TIME' }],
  ['DATETIME', { type: 'string', format: 'date-time' }, { type: 'DATE_TIME' }],
  [
    'ATTACHMENT',
    { type: 'string', format: 'uri' },
    { type: 'ATTACHMENT', allowableFileTypes: ['audio', 'document', 'image', 'video'] },
  ],
  ['TEXT', { type: 'string' }, { type: 'TEXT', inputType: 'SHORT_TEXT' }],
  ['ODD', { type: 'string' }, { type: 'TEXT', inputType: 'SHORT_TEXT' }],
  ['LIST', { type: 'string' }, { type: 'CHOICE_LIST' }],
  ['TREE', { type: 'string' }, { type: 'CHOICE_LIST' }],
  ['MLIST', { type: 'array', uniqueItems: true }, { type: 'CHOICE_LIST' }],
];

for (const [type, json, ui] of fields)
  test(`an attribute of type ${type} is a field that the site takes and a second run leaves`, async (t) => {
    const here = await harness(t, { reference: { patrol_attributes: [{ ...attribute, type }] } });
    const { code, err } = await here.sync();
    t.is(code, 0, err);
    const form = here.site.state().form as unknown as {
      json: { properties: Record<string, Record<string, unknown>> };
      ui: { fields: Record<string, object> };
    };
    const half = form.json.properties['ext_weather'] ?? {};
    t.like(half, json);
    t.like(form.ui.fields['ext_weather'], ui);
    const reference = [{ $ref: '/api/v2.0/schemas/choices.json?field=patrol_weather' }];
    const hasOptions = ['LIST', 'TREE', 'MLIST'].includes(type);
    t.deepEqual(
      type === 'MLIST' ? (half['items'] as { anyOf: object })['anyOf'] : half['anyOf'],
      hasOptions ? reference : undefined,
    );
    t.is(here.site.state().choices.filter(({ field }) => field === 'patrol_weather').length, hasOptions ? 1 : 0);
    here.writes();
    t.is((await here.sync()).code, 0);
    t.deepEqual(here.writes(), []);
  });

/** Fields of the site's form. */
const properties = ({ site }: Harness) =>
  (site.state().form as unknown as { json: { properties: Record<string, { deprecated: boolean }> } }).json.properties;

test('an inactive attribute gets options and no field; a field that is there is no longer in use', async (t) => {
  const off = { reference: { patrol_attributes: [{ ...attribute, active: false }] } };
  const here = await harness(t, off);
  await here.sync();
  t.false(Object.hasOwn(properties(here), 'ext_weather'));
  t.true(here.site.state().choices.some(({ field }) => field === 'patrol_weather'));
  const there = await harness(t);
  await there.sync();
  await writeExportedBundle(there.bundle, off);
  t.is((await there.sync()).code, 0);
  t.true(properties(there)['ext_weather']?.deprecated);
});

test('blank labels count as missing, long ones are cut and padded ones trimmed, so that the site takes them', async (t) => {
  const labels = { labels: { en: ' ' }, label: `  ${'x'.repeat(120)}  `, active: true };
  const here = await harness(t, { reference: { mandates: [{ uuid: uuid('b1'), key: 'security', ...labels }] } });
  t.is((await here.sync()).code, 0);
  const mandate = here.site.state().choices.find(({ field }) => field === 'patrol_mandate');
  t.is(mandate?.display, `${'x'.repeat(99)}…`);
});
