import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { employee, id, named, patrol, transport, writeTestBundle } from '../test/bundle.ts';
import { openHarness, type Harness } from '../test/harness.ts';
import { areas, north } from './test/areas.ts';

interface Stored {
  readonly json: { readonly properties: Record<string, Record<string, unknown>> };
}

/** A site that a run has prepared. */
const prepared = async (t: ExecutionContext): Promise<Harness> => {
  const zone = { uuid: id('e1'), key: 'zone', type: 'NUMERIC', ...named('Zone') };
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { patrol_attributes: [zone] }));
  t.is((await here.sync()).code, 0);
  here.writes();
  return here;
};

/** The warnings, with the lines of what they name. */
const warningsIn = (err: string): string[] => err.match(/^Warning: .*(\n {2}.*)*/gm) ?? [];

/** Edits by an admin, each of an object that the run made. */
const edit = ({ site }: Harness): void => {
  const { types, choices, subjects, groups, form } = site.state();
  site.edit('types', types[0]?.id ?? '', { display: 'On foot' });
  const routine = choices.find(({ value }) => value === 'routine');
  site.edit('choices', routine?.id ?? '', { display: 'Everyday', is_active: false });
  site.edit('subjects', subjects[0]?.id ?? '', { name: 'Bea' });
  const { properties } = (form as Stored).json;
  properties['ext_zone'] = { ...properties['ext_zone'], title: 'Area' };
  site.seed({ form, groups: groups.map((group) => Object.assign({}, group, { subjects: [] })) });
};

test('all that a person changed in objects that a run made is named in one warning before it is changed back, in plan, check and run', async (t) => {
  const here = await prepared(t);
  edit(here);
  const verify = (): Promise<{ err: string }> => here.run('verify', '--bundle', here.bundle, ...here.onSite);
  for (const call of [() => here.dry(), verify, () => here.sync()]) {
    const warnings = warningsIn((await call()).err);
    t.is(warnings.length, 1, warnings.join('\n'));
    const [head = '', ...names] = warnings[0]?.split('\n  ') ?? [];
    t.regex(head, /^Warning: A run changes back values that a person.* \(6\):$/);
    t.deepEqual(names, [
      'patrol type patrol_foot: display "On foot" → "foot"',
      'universal patrol fields: title of ext_zone "Area" → "Zone"',
      'choice patrol_mandate routine: display "Everyday" → "Routine"',
      'choice patrol_mandate routine: is_active false → true',
      'subject "Ranger f1": name "Bea" → "Ranger f1"',
      'roster group "Rangers": "Bea" is no member and joins again',
    ]);
  }
  t.deepEqual(warningsIn((await here.sync()).err), []);
});

test('after an undo, what a person has given is warned of as before, and what the undo took back is not', async (t) => {
  const here = await prepared(t);
  edit(here);
  await here.sync();
  t.is((await here.run('undo', here.folder, ...here.onSite)).code, 0);
  const [warning = '', ...more] = warningsIn((await here.dry()).err);
  t.deepEqual(more, []);
  t.regex(warning, /changes back values that a person/);
  for (const words of ['display "On foot" → "foot"', 'display "Everyday" → "Routine"', 'name "Bea" → "Ranger f1"'])
    t.true(warning.includes(words), warning);
  t.is((await here.run('undo', ...here.records().map((name) => join(here.folder, name)), ...here.onSite)).code, 3);
  const other = await prepared(t);
  t.is((await other.run('undo', other.recordPath(), ...other.onSite)).code, 0);
  t.deepEqual(warningsIn((await other.dry()).err), []);
});

test('what a person deleted is created again with a warning, what an undo deleted without one', async (t) => {
  const here = await prepared(t);
  const { types, choices, subjects } = here.site.state();
  const form = here.site.state().form as Stored & { ui: { fields: Record<string, unknown> } };
  delete form.json.properties['ext_zone'];
  delete form.ui.fields['ext_zone'];
  here.site.seed({ form, types: types.slice(1), choices: choices.slice(1), subjects: subjects.slice(1) });
  const warning = warningsIn((await here.dry()).err).find((text) => text.includes('creates again')) ?? '';
  t.regex(warning, /what a person has deleted since the last run \(4\):/);
  t.regex(warning, /\n {2}universal patrol fields: field "Zone"$/m);
  await here.sync();
  t.deepEqual(warningsIn((await here.sync()).err), []);
});

test('an option out of use in the bundle that a person has put in use counts as changed by a person', async (t) => {
  const mandates = [{ uuid: id('d1'), key: 'routine', ...named('Routine', false) }];
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { mandates }));
  t.is((await here.sync()).code, 0);
  const routine = here.site.state().choices.find(({ value }) => value === 'routine');
  here.site.edit('choices', routine?.id ?? '', { is_active: true });
  const [warning = '', ...more] = warningsIn((await here.dry()).err);
  t.deepEqual(more, []);
  t.regex(warning, /changes back values that a person.*\n {2}choice patrol_mandate routine: is_active true → false$/);
});

test('somebody whom a person deleted is gone for the undo, where the token sees everybody', async (t) => {
  const here = await prepared(t);
  here.site.seed({ subjects: here.site.state().subjects.slice(1) });
  const { code, out } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 0, out);
  t.regex(out, /^already undone: subject .* \(it is gone\)$/m);
});

test('retired people whom an import made active are nobody’s edit: plan and verify say that an import may be running, undo takes them back', async (t) => {
  const employees = [employee('f1'), employee('f2', { employment: { start: '2019-03-01', end: '2023-12-31' } })];
  const here = await openHarness(t, (folder) =>
    writeTestBundle(folder, { employees, patrols: [patrol(['f1', 'f2'])] }),
  );
  t.is((await here.sync()).code, 0);
  const retired = here.site.state().subjects.find(({ name }) => name === 'Ranger f2');
  here.site.edit('subjects', retired?.id ?? '', { is_active: true });
  for (const { err } of [await here.dry(), await here.run('verify', '--bundle', here.bundle, ...here.onSite)]) {
    const warnings = warningsIn(err);
    t.is(warnings.length, 1);
    t.regex(
      warnings[0] ?? '',
      /an import of patrols may be running.* \(1\):\n {2}subject "Ranger f2": is_active true → false$/,
    );
  }
  const { code, out } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 0, out);
  t.deepEqual(
    here.site.state().subjects.map(({ is_active }) => is_active),
    [false, false],
  );
});

const rank = (text: string) => ({ employees: [employee('f1', { rank: { names: { en: text } } }), employee('f2')] });

test('what a person changed in people whom a run made is named by a run that has no record of them, and what it changes in people of others', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, rank('Chief')));
  t.is((await here.sync()).code, 0);
  const [first, second] = here.site.state().subjects;
  here.site.edit('subjects', first?.id ?? '', {
    name: 'Bea',
    additional: { ...first?.additional, ext_rank: 'Guard', ext_employee_id: 'x' },
  });
  here.site.edit('subjects', second?.id ?? '', { is_active: false });
  const elsewhere = ['--checklist', join(here.folder, 'elsewhere', 'checklist.md')];
  const { err } = await here.dry(...elsewhere);
  t.deepEqual(warningsIn(err), [
    [
      'Warning: A run changes values that no run whose record is here has left; another area or an admin may use them (3):',
      'subject "Ranger f1": name "Bea" → "Ranger f1"',
      'subject "Ranger f1": ext_rank "Guard" → "Chief"',
      'subject "Ranger f2": is_active false → true',
    ].join('\n  '),
  ]);
  for (const { id: subject, additional } of here.site.state().subjects) {
    const { ext_managed_by: _, ext_conservation_area: __, ...importers } = additional;
    here.site.edit('subjects', subject, { name: 'Importer', additional: importers });
  }
  t.deepEqual(warningsIn((await here.dry(...elsewhere)).err), [
    [
      'Warning: A run changes values that no run whose record is here has left; another area or an admin may use them (3):',
      'subject "Ranger f1": name "Importer" → "Ranger f1"',
      'subject "Ranger f2": name "Importer" → "Ranger f2"',
      'subject "Ranger f2": is_active false → true',
    ].join('\n  '),
  ]);
});

test('what a run changes in somebody whom no run made is named before it, and again after its undo', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder));
  t.is((await here.sync()).code, 0);
  const [{ id: subject = '', additional = {} } = {}] = here.site.state().subjects;
  const { ext_managed_by: _, ext_conservation_area: __, ...importers } = additional;
  here.site.edit('subjects', subject, { name: 'Chief', additional: importers });
  const folder = join(here.folder, 'elsewhere');
  const elsewhere = ['--checklist', join(folder, 'checklist.md')];
  t.regex((await here.sync(...elsewhere)).err, /subject "Ranger f1": name "Chief" → "Ranger f1"/);
  t.is((await here.run('undo', folder, ...here.onSite)).code, 0);
  here.site.edit('subjects', subject, { name: 'Chief Two' });
  t.regex((await here.dry(...elsewhere)).err, /subject "Ranger f1": name "Chief Two" → "Ranger f1"/);
});

test('a run that replaces the form says which fields it takes out of it', async (t) => {
  const here = await prepared(t);
  const { form } = here.site.state();
  const { properties } = (form as Stored).json;
  properties['own_dog'] = { type: 'boolean', title: 'Dog', deprecated: false };
  here.site.seed({ form });
  for (const call of [here.dry, here.sync])
    t.deepEqual(warningsIn((await call('--replace-segment-schema')).err), [
      "Warning: The run replaces the site's form and takes out of it: own_dog",
    ]);
});

test('a plan names by its text what it only switches on, and verify says what writes it', async (t) => {
  const here = await prepared(t);
  const routine = here.site.state().choices.find(({ value }) => value === 'routine');
  here.site.edit('choices', routine?.id ?? '', { is_active: false });
  const line = /^~ choice patrol_mandate routine "Routine": is_active false → true$/m;
  t.regex((await here.dry()).out, line);
  const { code, out } = await here.run('verify', '--bundle', here.bundle, ...here.onSite);
  t.is(code, 1);
  t.regex(out, line);
  t.regex(
    out,
    /^The site differs from the bundle \(differences: 1\)\.\nCheck: .* a run of patrol-datamodel writes them\.$/m,
  );
});

test('what an undo or a clean-up took back counts as nobody’s change', async (t) => {
  const here = await prepared(t);
  t.is((await here.run('undo', here.recordPath(), ...here.onSite)).code, 0);
  t.deepEqual(warningsIn((await here.sync()).err), []);
  here.site.seed({ form: null });
  t.deepEqual(warningsIn((await here.sync()).err), []);
});

test('what an undo took back in part counts as nobody’s change beside what it left to an admin', async (t) => {
  const here = await prepared(t);
  edit(here);
  const { form } = here.site.state();
  t.regex(
    (await here.run('undo', here.recordPath(), ...here.onSite)).out,
    /^left: universal patrol fields: undone in part: removed: /m,
  );
  t.deepEqual(Object.keys((here.site.state().form as Stored).json.properties), ['ext_zone']);
  t.true(Object.keys((form as Stored).json.properties).length > 1);
  const warnings = warningsIn((await here.dry()).err);
  t.is(warnings.length, 1, warnings.join());
  t.regex((await here.dry()).err, /title of ext_zone "Area" → "Zone"/);
  t.notRegex((await here.dry()).err, / null → /);
});

test('a run names what the last bundle had in use and this one does not, and a bundle older than the last one', async (t) => {
  const here = await areas(t);
  await here.of(north, { transports: [transport('b1', 'foot'), transport('b2', 'boat')] });
  const before = here.record().bundle.exported_at;
  const { err } = await here.of(north, { transports: [transport('b1', 'foot')] });
  t.regex(
    err,
    /does not name any more what the last run had in use: patrol type patrol_boat; a run leaves it as it is/,
  );
  const older = here.bundleOf(north);
  const manifest = join(older, 'manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(before, '2020-01-01T00:00:00Z'));
  t.regex(
    (await here.run('--dry-run', 'patrol-datamodel', '--bundle', older, ...here.onSite)).err,
    /exported at 2020-.*before that of the last run/,
  );
});
