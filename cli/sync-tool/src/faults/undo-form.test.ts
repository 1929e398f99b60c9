import test, { type ExecutionContext } from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

const undo = (here: Harness, ...more: readonly string[]) =>
  here.run('undo', here.recordPath(), ...here.onSite, ...more);

test('undo leaves a field of the form that somebody changed since, takes the others back, calls that undone in part, and all with --force universal_patrol_fields', async (t) => {
  const here = await sample(t);
  await here.sync();
  const edited = structuredClone(here.site.state().form) as { json: { properties: Record<string, { title: string }> } };
  edited.json.properties['objective']!.title = 'Edited';
  here.site.seed({ form: edited });
  t.regex(
    (await undo(here)).out,
    /^left: universal patrol fields: undone in part: removed: .* \(.*--force universal_patrol_fields .*: objective;/m,
  );
  const { objective } = edited.json.properties;
  t.deepEqual((here.site.state().form as typeof edited).json.properties, { objective } as never);
  await undo(here, '--force', 'universal_patrol_fields');
  t.deepEqual((here.site.state().form as typeof edited).json.properties, {});
});

test('a forced undo takes only the fields of the run out of the form, as its dry run says field by field, and keeps the form of before in a file', async (t) => {
  const here = await sample(t);
  await here.sync();
  const edited = structuredClone(here.site.state().form) as unknown as {
    json: { properties: Record<string, object>; required: string[] };
    ui: { fields: Record<string, object>; sections: Record<string, object>; order: string[] };
  };
  const own = { type: 'string', title: 'Own', deprecated: false };
  edited.json.properties = { ...edited.json.properties, own };
  edited.json.properties['objective'] = { ...edited.json.properties['objective'], title: 'Edited' };
  edited.json.required.push('own');
  edited.ui.fields['own'] = { type: 'TEXT', inputType: 'SHORT_TEXT', parent: 'section-own' };
  const item = { name: 'own', type: 'field' };
  const section = { label: 'Own', columns: 1, isActive: true, leftColumn: [item], rightColumn: [] };
  edited.ui.sections['section-own'] = section;
  edited.ui.order.unshift('section-own');
  here.site.seed({ form: edited });
  const forced = ['undo', here.recordPath(), ...here.onSite, '--force', 'universal_patrol_fields'];
  const told =
    /universal patrol fields: (removed: [^;]*objective.*; although changed since: objective; everything else of the form stays)/;
  const planned = told.exec((await here.run('--dry-run', ...forced)).out);
  const real = told.exec((await here.run(...forced)).out);
  t.truthy(planned?.[1]);
  t.is(real?.[1], planned?.[1]);
  t.like(here.site.state().form, {
    json: { properties: { own }, required: ['own'] },
    ui: { fields: { own: edited.ui.fields['own'] }, sections: { 'section-own': section }, order: ['section-own'] },
  });
  t.deepEqual(Object.keys((here.site.state().form as typeof edited).json.properties), ['own']);
  const file = here.files().find((name) => /^patrol-datamodel-undo-\w+\.form-before\.json$/.test(name)) ?? '';
  t.deepEqual(JSON.parse(here.read(file)), edited);
});

test('a form that somebody took away is not brought back', async (t) => {
  const here = await sample(t);
  await here.sync();
  here.site.seed({ form: null });
  here.writes();
  await undo(here);
  t.false(here.writes().some(({ method }) => method === 'PUT'));
});
