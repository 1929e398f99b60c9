import test, { type ExecutionContext } from 'ava';
import type { Seed } from '@ranger-relay/simulators';
import { employee, writeTestBundle } from '../test/bundle.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const member = 'f1f1f1f1-F1F1-f1f1-f1f1-f1f1f1f1f1f1';

/** A foreign subject whose `additional` is not the object of the contract. */
const foreign = (additional: unknown, more: object = {}) =>
  ({
    id: 'c17',
    name: 'Collar 17',
    subject_type: 'wildlife',
    subject_subtype: 'elephant',
    additional,
    ...more,
  }) as never;

const harness = (t: ExecutionContext, state: Seed): Promise<Harness> =>
  openHarness(t, (folder) => writeTestBundle(folder, { employees: [employee('f1'), employee('f2')] }), { state });

const namesOf = ({ site }: Harness) => site.state().subjects.map(({ name }) => name);

for (const additional of ['{"region":"north"}', ['north'], 7])
  test(`a foreign subject whose additional is ${JSON.stringify(additional)} is left and named, and the run goes on`, async (t) => {
    const row = foreign(additional);
    const here = await harness(t, { subjects: [row] });
    for (const run of [here.sync, here.sync]) {
      const { code, err } = await run();
      t.is(code, 0, err);
      t.regex(err, /^Warning: .*left as they are: subject "Collar 17" \(c17\): additional/m);
      t.deepEqual(namesOf(here), ['Collar 17', 'Ranger f1', 'Ranger f2']);
      t.deepEqual(here.site.state().subjects[0]?.additional, additional as never);
    }
    t.is(here.site.state().groups[1]?.subjects.length, 2);
    const { code } = await here.run('undo', here.recordPath(), ...here.onSite);
    t.is(code, 0);
  });

test('an employee whom an unreadable subject names is not created, and named in the plan, the run and the checklist', async (t) => {
  const here = await harness(t, { subjects: [foreign(JSON.stringify({ ext_member_id: member }))] });
  for (const run of [here.dry, here.sync, here.sync]) {
    const { code, err } = await run();
    t.is(code, 0, err);
    t.regex(err, /^Warning: subject Ranger f1 \(employee (?:f1){16}\) is not created: .*"Collar 17" \(c17\)/m);
  }
  t.deepEqual(namesOf(here), ['Collar 17', 'Ranger f2']);
  t.regex(here.read('checklist.md').replaceAll('\\', ''), /subject Ranger f1 .* is not created/);
});

test('verify names what the site lacks because an unreadable row stands for it, and ends with 1', async (t) => {
  const here = await harness(t, { subjects: [foreign(JSON.stringify({ ext_member_id: member }))] });
  t.is((await here.sync()).code, 0);
  const verify = ['verify', '--bundle', here.bundle, ...here.onSite];
  const { code, out } = await here.run(...verify);
  t.is(code, 1);
  t.notRegex(out, /The site has everything/);
  t.regex(out, /^subject Ranger f1 \(employee (?:f1){16}\) is not created: .*"Collar 17" \(c17\)/m);
  t.like((await here.run(...verify, '--output', 'json')).json(), { ok: false, reason: 'site_differs', differences: 1 });
});

test('an unreadable subject that appears after the plan was approved makes it outdated for the employee whom it names', async (t) => {
  const here = await harness(t, {});
  const plan = `${here.folder}/plan.json`;
  await here.dry('--plan-out', plan);
  here.site.seed({ subjects: [foreign([member])] });
  const { code, json } = await here.run('apply', '--plan', plan, ...here.onSite, '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'plan_outdated');
  t.deepEqual(namesOf(here), ['Collar 17']);
});

test('an unreadable type or option is left and named; what the bundle asks for in its place is not created', async (t) => {
  const here = await harness(t, {
    types: [{ value: 'patrol_foot', display: 7 as never }],
    choices: [
      { field: 'patrol_mandate', value: 'routine', display: [] as never },
      { field: 'patrol_class', value: 'other', is_active: 'yes' as never },
    ],
  });
  const { code, err } = await here.sync();
  t.is(code, 0, err);
  t.regex(err, /^Warning: patrol type patrol_foot is not created/m);
  t.regex(err, /^Warning: choice patrol_mandate routine is not created/m);
  t.regex(err, /choice patrol_class "other"/);
  t.deepEqual([here.site.state().types.length, here.site.state().choices.length], [1, 3]);
});
