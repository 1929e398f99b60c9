import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { employee, id, patrol, writeTestBundle } from '../test/bundle.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const marks = { ext_managed_by: 'patrol-datamodel', ext_conservation_area: id('aa') };

const uuid = (i: number): string => (i + 4_096).toString(16).padStart(32, '0');

/** A site with subjects that earlier runs made for the area, of which so many are planned no longer. */
const harness = (t: ExecutionContext, kept: number, gone: number): Promise<Harness> => {
  const all = Array.from({ length: kept + gone }, (_, i) => uuid(i));
  const subjects = all.map((ext_member_id) => ({
    name: 'Ranger f1',
    additional: { ext_member_id, ext_employee_id: 's', ...marks },
  }));
  const employees = all.slice(0, kept).map((each) => employee('f1', { uuid: each, id: 's' }));
  return openHarness(t, (folder) => writeTestBundle(folder, { employees }), { state: { subjects } });
};

const inactive = ({ site }: Harness): number => site.state().subjects.filter(({ is_active }) => !is_active).length;

for (const [kept, gone, allowed] of [
  [0, 5, true],
  [0, 6, false],
  [40, 10, true],
  [40, 11, false],
] as const)
  test(`${gone} deactivations of ${kept + gone} subjects are ${allowed ? 'carried out' : 'stopped before the first write'} without an option`, async (t) => {
    const here = await harness(t, kept, gone);
    const { code, json } = await here.sync('--output', 'json');
    t.is(code, allowed ? 0 : 1);
    if (!allowed) t.like(json(), { reason: 'too_many_deactivations', details: { planned: gone } });
    if (!allowed) t.deepEqual(here.writes(), []);
    t.is(inactive(here), allowed ? gone : 0);
  });

test('inactive subjects of earlier runs do not raise the number of deactivations that nobody has to allow', async (t) => {
  const here = await harness(t, 0, 100);
  for (const { id: subject } of here.site.state().subjects.slice(20))
    here.site.edit('subjects', subject, { is_active: false });
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.like(json(), { reason: 'too_many_deactivations', details: { planned: 20, limit: 5 } });
  t.is(inactive(here), 80);
});

test('--max-deactivations allows more, or fewer', async (t) => {
  const here = await harness(t, 0, 6);
  t.is((await here.sync('--max-deactivations', '5')).code, 1);
  t.is(inactive(here), 0);
  t.is((await here.sync('--max-deactivations', '6')).code, 0);
  t.is(inactive(here), 6);
});

/** A site on which six people of the bundle, who have left, are active. */
const retired = (t: ExecutionContext): Promise<Harness> => {
  const all = Array.from({ length: 6 }, (_, i) => employee('f1', { uuid: uuid(i), id: `s${i}`, given_name: `R${i}` }));
  const subjects = all.map((each) => ({ name: 'R', additional: { ext_member_id: each['uuid'], ...marks } }));
  const employees = all.map((each) => ({ ...each, employment: { start: '2019-03-01', end: '2020-01-01' } }));
  const members = all.map((each) => ({ employee_uuid: each['uuid'], is_leader: false, is_pilot: false }));
  const [leg] = patrol([])['legs'] as readonly object[];
  const patrols = [patrol([], { legs: [{ ...leg, members }] })];
  return openHarness(t, (folder) => writeTestBundle(folder, { employees, patrols }), { state: { subjects } });
};

test('people of the bundle who become inactive count, are listed and are a number of their own, as those who are gone', async (t) => {
  const here = await retired(t);
  const { code, err } = await here.sync();
  t.is(code, 1);
  t.regex(err, /\(6; at most 5\)/);
  t.is(inactive(here), 0);
  const dry = await here.dry('--max-deactivations', '6');
  t.is(dry.out.match(/- subject "R\d f1": inactive in the bundle; name "R" → "R\d f1"/g)?.length, 6, dry.out);
  const { out, json } = await here.sync('--max-deactivations', '6', '--output', 'json');
  t.like(json(), { steps: { subjects: { updated: 0, deactivated: 6 } } }, out);
});

test('a run names each person whom it deactivates', async (t) => {
  const here = await harness(t, 0, 2);
  const { out } = await here.sync();
  t.regex(out, /People to deactivate \(2\):\n(- subject "Ranger f1": no longer in the bundle\n){2}/);
});

test('--max-deactivations 0 stops at the first', async (t) => {
  const here = await harness(t, 1, 1);
  t.is((await here.sync('--max-deactivations', '0')).code, 1);
  t.is(inactive(here), 0);
});

test('a dry run shows more than are allowed, with the reason of each, and ends as the run would', async (t) => {
  const here = await harness(t, 0, 6);
  const { code, out, err } = await here.dry();
  t.is(code, 1);
  t.is(out.match(/no longer in the bundle/g)?.length, 6);
  t.regex(err, /would write nothing: .* \(6; at most 5\)/);
  t.is((await here.dry('--output', 'json')).json()['reason'], 'too_many_deactivations');
  t.is((await here.dry('--max-deactivations', '6')).code, 0);
});

for (const [kept, gone, allowed] of [
  [40, 10, true],
  [40, 11, false],
] as const)
  test(`apply counts the subjects of the area as a run does: ${gone} of ${kept + gone} are ${allowed ? 'carried out' : 'stopped'}`, async (t) => {
    const here = await harness(t, kept, gone);
    const plan = join(here.folder, 'plan.json');
    await here.dry('--plan-out', plan);
    const { code } = await here.run('apply', '--plan', plan, ...here.onSite);
    t.is(code, allowed ? 0 : 1);
    t.is(inactive(here), allowed ? gone : 0);
    if (allowed) return;
    t.is((await here.run('apply', '--plan', plan, ...here.onSite, '--max-deactivations', '11')).code, 0);
    t.is(inactive(here), 11);
  });

test('apply deactivates a person who was renamed since the plan was made: only the values that it writes must be as it saw them', async (t) => {
  const here = await harness(t, 0, 1);
  const plan = join(here.folder, 'plan.json');
  await here.dry('--plan-out', plan);
  const [subject] = here.site.state().subjects;
  here.site.edit('subjects', subject?.id ?? '', { name: 'Bea' });
  t.is((await here.run('apply', '--plan', plan, ...here.onSite)).code, 0);
  t.like(here.site.state().subjects[0], { name: 'Bea', is_active: false });
});
