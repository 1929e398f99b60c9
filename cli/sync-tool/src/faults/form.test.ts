import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openFront } from '../test/front.ts';
import { openHarness, type Harness } from '../test/harness.ts';
import { adminDocument, type FormOptions } from './test/admin-document.ts';

const sample = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), options);

const formOf = ({ site }: Harness): FormOptions => site.state().form as FormOptions;
const ours = ['objective', 'mandate', 'station', 'patrol_class', 'armed', 'comment', 'ext_weather', 'ext_crew'];

test('an admin’s fields, headers, sections and conditions survive a run byte for byte, beside ours', async (t) => {
  const before = adminDocument();
  const here = await sample(t, { state: { form: before } });
  t.is((await here.sync()).code, 0);
  const { json, ui } = formOf(here);
  for (const [name, property] of Object.entries(before.json.properties)) t.deepEqual(json.properties[name], property);
  t.deepEqual(json.allOf, before.json.allOf);
  t.deepEqual(json.required, before.json.required);
  t.deepEqual(ui.headers, before.ui.headers);
  t.deepEqual(ui.order, [...before.ui.order, 'section-ext']);
  for (const [name, section] of Object.entries(before.ui.sections)) t.deepEqual(ui.sections[name], section);
  for (const name of ours) t.true(Object.hasOwn(json.properties, name), name);
});

test('a form that the site shows only on request is merged', async (t) => {
  const here = await sample(t, { state: { form: adminDocument() }, switches: { form_document: 'not_found' } });
  t.is((await here.sync()).code, 0);
  for (const name of ['admin_text', ...ours]) t.true(Object.hasOwn(formOf(here).json.properties, name), name);
});

test('a form that the site does not show stops the step, named; it is never overwritten, and the other steps run', async (t) => {
  const switches = { form_record: 'not_allowed', form_document: 'not_found' } as const;
  const here = await sample(t, { state: { form: adminDocument() }, switches });
  for (const more of [[], ['--replace-segment-schema']]) {
    const { code, json, err } = await here.sync('--output', 'json', ...more);
    t.is(code, 1);
    const [failure] = json()['failures'] as unknown[];
    t.like(failure, { step: 'universal_patrol_fields', reason: 'site_answer_unreadable' });
    t.regex(err, /^Patrol fields: .*segments\/types\/default\/.*schema/m);
    t.deepEqual(formOf(here), adminDocument());
    t.is(here.site.state().subjects.length, 3);
  }
});

test('an old field without `deprecated` gets it when the form is written, in the record and at undo too, and is no reason to write', async (t) => {
  const before = adminDocument();
  delete before.json.properties['admin_text']!['deprecated'];
  const here = await sample(t, { state: { form: before } });
  const { code, err } = await here.sync();
  t.is(code, 0, err);
  t.notRegex(err, /Warning/);
  t.like(formOf(here).json.properties['admin_text'], { title: 'Text of an admin', deprecated: false });
  t.like(
    here.record().changes.find(({ kind }) => kind === 'universal_patrol_fields'),
    { repaired: ['json.properties.admin_text: deprecated: false added'] },
  );
  t.is((await here.run('undo', here.recordPath(), ...here.onSite)).code, 0);
  t.deepEqual(formOf(here), adminDocument());
  const aged = structuredClone(formOf(here));
  delete aged.json.properties['admin_text']!['deprecated'];
  here.site.seed({ form: aged });
  t.is((await here.run('undo', here.recordPath(), ...here.onSite, '--force', 'universal_patrol_fields')).code, 0);
  t.deepEqual(formOf(here), aged, 'as it was');
});

test('members of a field that the site drops on saving do not count as a change: the next run writes nothing, and undo takes back', async (t) => {
  const before = adminDocument();
  before.ui.fields['admin_text']!['choices'] = { type: 'LIST' };
  const here = await sample(t, { state: { form: before } });
  t.is((await here.sync()).code, 0);
  t.deepEqual(formOf(here).ui.fields['admin_text'], adminDocument().ui.fields['admin_text']);
  here.writes();
  t.is((await here.sync()).code, 0);
  t.deepEqual(here.writes(), []);
  const { code, err } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 0, err);
  t.deepEqual(formOf(here), adminDocument());
});

test('a field of ours that an admin moved into another section stays there, and the next run writes nothing', async (t) => {
  const here = await sample(t, { state: { form: adminDocument() } });
  await here.sync();
  const moved = structuredClone(formOf(here));
  const [ext, admin] = [moved.ui.sections['section-ext'], moved.ui.sections['section-admin']];
  ext!.leftColumn = ext!.leftColumn.filter(({ name }) => name !== 'ext_crew');
  admin!.rightColumn.push({ name: 'ext_crew', type: 'field' });
  moved.ui.fields['ext_crew']!['parent'] = 'section-admin';
  here.site.seed({ form: moved });
  here.writes();
  t.is((await here.sync()).code, 0);
  t.deepEqual(here.writes(), []);
  t.deepEqual(formOf(here), moved);
});

test('undo gives the admin’s form back as it was', async (t) => {
  const before = adminDocument();
  const here = await sample(t, { state: { form: before } });
  await here.sync();
  await here.run('undo', here.recordPath(), ...here.onSite);
  t.deepEqual(formOf(here), before);
});

test('--replace-segment-schema leaves ours alone, keeps what was there in a file, and undo brings it back', async (t) => {
  const before = adminDocument();
  const here = await sample(t, { state: { form: before } });
  t.is((await here.sync('--replace-segment-schema')).code, 0);
  t.deepEqual(Object.keys(formOf(here).json.properties), ours);
  const change = here.record().changes.find(({ kind }) => kind === 'universal_patrol_fields');
  t.like(change, { before_file: here.records()[0]?.replace('.json', '.form-before.json') });
  t.true(here.record().options.replace_segment_schema);
  await here.run('undo', here.recordPath(), ...here.onSite);
  t.deepEqual(formOf(here), before);
});

/** An admin adds a field and makes some fields required. */
const edited = (form: FormOptions, required: readonly string[]): FormOptions => {
  const { json, ui } = structuredClone(form);
  json.properties['added'] = { type: 'boolean', title: 'Added', deprecated: false };
  ui.fields['added'] = { type: 'BOOLEAN', parent: 'section-admin' };
  ui.sections['section-admin']?.rightColumn.push({ name: 'added', type: 'field' });
  return { json: { ...json, required: [...json.required, ...required] }, ui };
};

test('undo of a form that was changed since takes out what the run put in, leaves the change, and switches the options off', async (t) => {
  const here = await sample(t, { state: { form: adminDocument() } });
  await here.sync();
  here.site.seed({ form: edited(formOf(here), ['added']) });
  const { code, err } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 0, err);
  t.deepEqual(formOf(here), edited(adminDocument(), ['added']));
  t.true(here.site.state().choices.every(({ is_active }) => !is_active));
});

test('options that a form offers after the undo stay, and are named: no required list is without options', async (t) => {
  for (const replace of [[], ['--replace-segment-schema']]) {
    const here = await sample(t, { state: { form: adminDocument() } });
    await here.sync(...replace);
    const since = structuredClone(formOf(here));
    since.json.properties['station']!['title'] = 'Post';
    here.site.seed({ form: { ...since, json: { ...since.json, required: ['station'] } } });
    const { out } = await here.run('undo', here.recordPath(), ...here.onSite);
    t.regex(out, /^left: universal patrol fields: .*: station;/m);
    t.regex(out, /^left: choice patrol_station .*still offers/m);
    t.deepEqual(formOf(here).json.required.includes('station'), true);
    const active = here.site.state().choices.filter(({ is_active }) => is_active);
    t.true(active.length > 0);
    t.deepEqual(new Set(active.map(({ field }) => field)), new Set(['patrol_station']));
    t.true(Object.hasOwn(formOf(here).json.properties, 'admin_text'));
  }
});

test('an option that a person took out of use before a run goes back, though the form still offers the list', async (t) => {
  const here = await sample(t);
  await here.sync();
  const { choices } = here.site.state();
  const counts = Map.groupBy(choices, ({ field }) => field);
  const [, options = []] = [...counts].find(([field, all]) => field.startsWith('patrol_') && all.length > 1) ?? [];
  const property = options[0]?.field.replace(/^patrol_/, '') ?? '';
  const since = structuredClone(formOf(here));
  const name = Object.keys(since.json.properties).find((each) => each.endsWith(property)) ?? '';
  since.json.properties[name]!['title'] = 'Edited';
  here.site.seed({ form: since });
  here.site.edit('choices', options[0]?.id ?? '', { is_active: false });
  await here.sync();
  const records = here.records().toSorted().toReversed();
  const { out } = await here.run('undo', ...records.map((record) => join(here.folder, record)), ...here.onSite);
  t.regex(out, /^left: choice .*still offers.*; --force choice takes them out of use/m);
  t.false(here.site.state().choices.find(({ id }) => id === options[0]?.id)?.is_active);
});

test('options stay while the form that offers them cannot be reached or read', async (t) => {
  for (const hide of ['off', 'unreadable'] as const) {
    const here = await sample(t);
    await here.sync();
    if (hide === 'off') here.site.set({ patrol_schemas: 'off' });
    else here.site.set({ form_record: 'not_allowed', form_document: 'not_found' });
    await here.run('undo', here.recordPath(), ...here.onSite);
    t.true(
      here.site.state().choices.some(({ is_active }) => is_active),
      hide,
    );
    here.site.set({ patrol_schemas: 'on', form_record: 'object', form_document: 'wrapped' });
    t.is((await here.run('undo', here.recordPath(), ...here.onSite)).code, 0);
    t.true(
      here.site.state().choices.every(({ is_active }) => !is_active),
      hide,
    );
  }
});

/** A front that changes the form at the first write, after the plan was made. */
const changingFront = (t: ExecutionContext, here: Harness, change: () => unknown): Promise<string> => {
  let done = false;
  return openFront(t, here.site, ({ method }) => {
    if (method === 'GET' || method === 'OPTIONS' || done) return;
    done = true;
    here.site.seed({ form: change() });
  });
};

for (const more of [[], ['--replace-segment-schema']])
  test(`a form that changed between reading and writing is left, and the run ends ${more.join()}`, async (t) => {
    const here = await sample(t);
    const front = await changingFront(t, here, adminDocument);
    const { code, json } = await here.sync('--site-endpoint', front, ...more, '--output', 'json');
    t.is(code, 1);
    t.is(json()['reason'], 'plan_outdated');
    t.deepEqual(formOf(here), adminDocument());
  });

test('a run after one that found another form merges it: the change survives, undo gives it back', async (t) => {
  const here = await sample(t);
  const front = await changingFront(t, here, adminDocument);
  t.is((await here.sync('--site-endpoint', front)).code, 1);
  const { code, err } = await here.sync('--site-endpoint', front);
  t.is(code, 0, err);
  t.true(Object.hasOwn(formOf(here).json.properties, 'admin_text'));
  t.true(Object.hasOwn(formOf(here).json.properties, 'objective'));
  await here.run('undo', here.recordPath(), ...here.onSite, '--site-endpoint', front);
  t.deepEqual(formOf(here), adminDocument());
});

test('apply stops when the form changed between reading and writing, and leaves the change', async (t) => {
  const here = await sample(t);
  const front = await changingFront(t, here, adminDocument);
  const plan = join(here.folder, 'plan.json');
  const onFront = [...here.onSite, '--site-endpoint', front];
  await here.dry('--plan-out', plan, '--site-endpoint', front);
  const { code, json } = await here.run('apply', '--plan', plan, ...onFront, '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'plan_outdated');
  t.deepEqual(formOf(here), adminDocument());
  t.deepEqual(here.site.state().choices, []);
  t.is(here.record().status, 'failed');
});

test('a form that a merge cannot work with fails the step, named with the path; nothing of it is sent, the other steps run', async (t) => {
  const broken = { json: adminDocument().json, ui: { ...adminDocument().ui, order: { not: 'a list' } } };
  const here = await sample(t, { state: { form: broken } });
  const { code, json, err } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.like((json()['failures'] as unknown[])[0], { step: 'universal_patrol_fields', reason: 'form_invalid' });
  t.regex(err, /^Patrol fields: .*ui\.order/m);
  t.false(here.writes().some(({ method }) => method === 'PUT'));
  t.deepEqual(here.site.state().form, broken);
  t.is(here.site.state().subjects.length, 3);
});

for (const more of [[], ['--replace-segment-schema']])
  test(`an admin’s own field of a name of ours that becomes another kind is warned of and on the checklist${more.join()}`, async (t) => {
    const before = adminDocument();
    before.json.properties['comment'] = { type: 'number', title: 'Mine', description: '', deprecated: false };
    before.ui.fields['comment'] = { type: 'NUMERIC', parent: 'section-admin' };
    before.ui.sections['section-admin']?.leftColumn.push({ name: 'comment', type: 'field' });
    const here = await sample(t, { state: { form: before } });
    const sentence = /The field comment of the site's form is rebuilt: it was of number, the import needs text/;
    t.regex((await here.dry(...more)).err, sentence);
    const { code, err } = await here.sync(...more);
    t.is(code, 0, err);
    t.regex(err, sentence);
    t.regex(here.read('checklist.md').replaceAll('\\', ''), sentence);
    t.is(formOf(here).json.properties['comment']?.['type'], 'string');
  });

test('a form that the local meta-schema would refuse after the merge fails the step, named with the path; nothing of it is sent', async (t) => {
  const before = adminDocument();
  const about = { title: 'T', description: '', deprecated: false };
  const items = { type: 'object', properties: { child: { ...about, type: 'boolean' } } };
  before.json.properties['ext_crew'] = { ...about, type: 'array', unevaluatedItems: false, items };
  const columns = { columns: 1, itemName: 'i', leftColumn: ['child'], rightColumn: [] };
  before.ui.fields['ext_crew'] = { type: 'COLLECTION', parent: 'section-admin', ...columns };
  before.ui.fields['ext_crew.child'] = { type: 'BOOLEAN', parent: 'section-admin' };
  const here = await sample(t, { state: { form: before } });
  const { code, json, err } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.like((json()['failures'] as unknown[])[0], { step: 'universal_patrol_fields', reason: 'form_invalid' });
  t.regex(err, /^Patrol fields: .*ui\.fields\["ext_crew\.child"\]/m);
  t.false(here.writes().some(({ method }) => method === 'PUT'));
  t.deepEqual(here.site.state().form, before);
});

test('a fault that the site’s form had before is a warning with its path, and the form is sent', async (t) => {
  const before = adminDocument();
  before.json.properties['admin_text']!['title'] = 'x'.repeat(1_001);
  const here = await sample(t, { state: { form: before } });
  const { err } = await here.sync();
  t.regex(err, /^Warning: .*json\.properties\.admin_text\.title/m);
  t.true(here.writes().some(({ method }) => method === 'PUT'));
});

test('while the feature is off the step is skipped with a checklist item, and nothing of the form is asked for', async (t) => {
  for (const patrol_schemas of ['off', 'absent', 'no_features'] as const) {
    const here = await sample(t, { switches: { patrol_schemas } });
    const { code, json } = await here.sync('--output', 'json');
    t.is(code, 0);
    t.deepEqual(json()['skipped'], { universal_patrol_fields: 'feature_off' });
    t.regex(here.read('checklist.md').replaceAll('\\', ''), /preview feature patrol_schemas switched on/);
    t.false(here.site.log.entries().some(({ path }) => path.includes('segments')));
  }
});

test('a feature that was switched off between two runs: the second writes nothing, undo leaves the form and says why', async (t) => {
  const here = await sample(t);
  await here.sync();
  const stored = formOf(here);
  here.site.set({ patrol_schemas: 'off' });
  here.writes();
  t.is((await here.sync()).code, 0);
  t.deepEqual(here.writes(), []);
  const { code, out } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 3);
  t.regex(out, /^left: universal patrol fields .*patrol_schemas is off/m);
  t.deepEqual(formOf(here), stored);
  here.site.set({ patrol_schemas: 'on' });
  await here.run('undo', here.recordPath(), ...here.onSite);
  t.deepEqual(formOf(here).json.properties, {});
});

test('a form that is refused is not kept for undo by the run that is resumed: what an admin did meanwhile is', async (t) => {
  const here = await sample(t, { state: { form: adminDocument() } });
  const original = adminDocument();
  here.site.faults.set({ fault: 'status', status: 403, method: 'PUT', count: 1 });
  await here.sync();
  const edited = adminDocument();
  edited.json.properties['admin_text']!['title'] = 'Edited meanwhile';
  here.site.seed({ form: edited });
  t.is((await here.run('resume', here.recordPath(), ...here.onSite)).code, 0);
  await here.run('undo', here.recordPath(), ...here.onSite);
  t.deepEqual(formOf(here), edited);
  t.notDeepEqual(formOf(here), original);
});

test('a record whose form file is gone leaves the form, names the file, and undoes all else', async (t) => {
  const here = await sample(t, { state: { form: adminDocument() } });
  await here.sync();
  const file = here.files().find((name) => name.endsWith('.form-before.json'));
  writeFileSync(join(here.folder, file ?? ''), 'no JSON');
  const { code, out } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 1);
  t.regex(out, /^failed: universal patrol fields .*form-before\.json/m);
  t.deepEqual(here.site.state().types, []);
});
