import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { siteFaults, type Seed } from '@ranger-relay/simulators';
import { plannedForm } from '../form/planned.ts';
import { dashed, employee, id, writeTestBundle } from '../test/bundle.ts';
import { openFront, type FrontRequest } from '../test/front.ts';
import { testShell, virtualClock } from '../test/shell.ts';
import { openHarness, runTool, type Call, type Harness } from '../test/harness.ts';

const marks = { ext_managed_by: 'patrol-datamodel', ext_conservation_area: id('aa') };
const rank = (label: string) => ({ names: { en: label } });

/** A site with one ranger of an earlier run, whose rank the bundle changes, and one option that it renames. */
const state: Seed = {
  types: [{ value: 'patrol_foot', display: 'Walk' }],
  choices: [{ field: 'patrol_mandate', value: 'routine', display: 'Old' }],
  subjects: [
    {
      name: 'Ranger f1',
      additional: { ext_member_id: id('f1'), ext_employee_id: 'staff-f1', ext_rank: 'Ranger', phone: '1', ...marks },
    },
  ],
};

const harness = (t: ExecutionContext): Promise<Harness> =>
  openHarness(t, (folder) => writeTestBundle(folder, { employees: [employee('f1', { rank: rank('Sergeant') })] }), {
    state,
  });

const ranger = ({ site }: Harness) => {
  const [subject] = site.state().subjects;
  if (!subject) throw new Error('the site has no subject');
  return subject;
};

/** A person who gives the ranger another phone, or more. */
const edit = ({ site }: Harness, additional: object = {}): void => {
  const { id: subject, additional: before } = ranger({ site } as Harness);
  site.edit('subjects', subject, { additional: { ...before, phone: '2', ...additional } });
};

/** A call during which a person acts once, just before a request. */
const during = async (
  t: ExecutionContext,
  { site }: Harness,
  when: (request: FrontRequest) => boolean,
  act: () => void,
  call: (...endpoint: string[]) => Promise<Call>,
): Promise<Call> => {
  let acted = false;
  const front = await openFront(t, site, (request) => {
    if (acted || !when(request)) return;
    acted = true;
    act();
  });
  const answer = await call('--site-endpoint', front);
  t.true(acted);
  return answer;
};

const activeOf = ({ site }: Harness): unknown[] =>
  site
    .state()
    .subjects.filter(({ is_active }) => is_active)
    .map(({ additional }) => additional['ext_member_id'])
    .toSorted();

const isRosterRead = ({ method, path }: FrontRequest): boolean => method === 'GET' && path.startsWith('subjectgroup/');
const isCreation = ({ method, path }: FrontRequest): boolean => method === 'POST' && path === 'subjects/';
const isFirstWrite = ({ method }: FrontRequest): boolean => method !== 'GET' && method !== 'OPTIONS';

test('what a person changes in a subject while a run goes on survives the run and its undo', async (t) => {
  const here = await harness(t);
  const front = await openFront(t, here.site, (request) => {
    if (isFirstWrite(request) && ranger(here).additional['phone'] === '1') edit(here);
  });
  t.is((await here.sync('--site-endpoint', front)).code, 0);
  t.like(ranger(here).additional, { phone: '2', ext_rank: 'Sergeant' });
  const change = here.record().changes.find(({ kind }) => kind === 'subject');
  t.like(change, { before: { additional: { phone: '2', ext_rank: 'Ranger' } } });
  t.is((await here.run('undo', here.recordPath(), ...here.onSite, '--site-endpoint', front)).code, 0);
  t.like(ranger(here).additional, { phone: '2', ext_rank: 'Ranger' });
});

test('what a person changes in a subject while an approved plan is carried out survives', async (t) => {
  const here = await harness(t);
  const plan = join(here.folder, 'plan.json');
  let acted = false;
  const front = await openFront(t, here.site, (request) => {
    if (acted || !isFirstWrite(request)) return;
    acted = true;
    edit(here);
  });
  await here.dry('--plan-out', plan, '--site-endpoint', front);
  t.is((await here.run('apply', '--plan', plan, ...here.onSite, '--site-endpoint', front)).code, 0);
  t.like(ranger(here).additional, { phone: '2', ext_rank: 'Sergeant' });
});

test('an approved plan is not carried out over a person who changes the same value meanwhile', async (t) => {
  const here = await harness(t);
  const plan = join(here.folder, 'plan.json');
  let acted = false;
  const front = await openFront(t, here.site, (request) => {
    if (acted || !isFirstWrite(request)) return;
    acted = true;
    edit(here, { ext_rank: 'Captain' });
  });
  await here.dry('--plan-out', plan, '--site-endpoint', front);
  const onFront = [...here.onSite, '--site-endpoint', front, '--output', 'json'];
  const { code, json } = await here.run('apply', '--plan', plan, ...onFront);
  t.is(code, 1);
  t.is(json()['reason'], 'plan_outdated');
  t.like(ranger(here).additional, { phone: '2', ext_rank: 'Captain' });
});

test('what a person changes in a subject while an undo goes on survives', async (t) => {
  const here = await harness(t);
  const front = await openFront(t, here.site, (request) => {
    const undoes = ranger(here).additional['ext_rank'] === 'Sergeant' && isRosterRead(request);
    if (undoes && here.records().length > 0 && ranger(here).additional['phone'] === '1') edit(here);
  });
  t.is((await here.sync('--site-endpoint', front)).code, 0);
  t.like(ranger(here).additional, { phone: '1', ext_rank: 'Sergeant' });
  t.is((await here.run('undo', here.recordPath(), ...here.onSite, '--site-endpoint', front)).code, 0);
  t.like(ranger(here).additional, { phone: '2', ext_rank: 'Ranger' });
});

test('what a person changes of a type or an option between plan and write is left, and the run ends; the next one replaces it', async (t) => {
  const here = await harness(t);
  const [type, choice] = [here.site.state().types[0]?.id ?? '', here.site.state().choices[0]?.id ?? ''];
  const first = await during(
    t,
    here,
    isRosterRead,
    () => {
      here.site.edit('types', type, { display: 'Stroll' });
      here.site.edit('choices', choice, { display: 'Newer' });
    },
    (...endpoint) => here.sync(...endpoint, '--output', 'json'),
  );
  t.is(first.code, 1);
  t.is(first.json()['reason'], 'plan_outdated');
  t.is(here.site.state().types[0]?.display, 'Stroll');
  t.is(here.site.state().choices[0]?.display, 'Newer');
  t.is((await here.sync()).code, 0);
  t.like(
    here.record().changes.find(({ kind }) => kind === 'patrol_type'),
    { before: { display: 'Stroll' }, written: { display: 'foot' } },
  );
});

test('a subject that somebody creates for an employee while a run goes on is not created twice', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { employees: [employee('f2')] }));
  const seed = { name: 'Two', additional: { ext_member_id: id('f2'), ext_employee_id: 'staff-f2' } };
  const { code, json } = await during(
    t,
    here,
    isFirstWrite,
    () => here.site.seed({ subjects: [seed] }),
    (...endpoint) => here.sync(...endpoint, '--output', 'json'),
  );
  t.is(code, 1);
  t.is(json()['reason'], 'plan_outdated');
  t.is((await here.sync()).code, 0);
  t.is(here.site.state().subjects.length, 1);
  t.like(ranger(here), { name: 'Ranger f2' });
});

test('whom another run creates while a response of ours is lost is found by the next run, not created twice', async (t) => {
  const names = ['f1', 'f2', 'f3', 'f4'];
  const employees = names.map((name) => employee(name));
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { employees }));
  const theirs = names.map((name) => ({ name: 'Theirs', additional: { ext_member_id: dashed(name) } }));
  here.site.faults.set({ ...siteFaults.gateway(504), path: 'subjects/', method: 'POST', count: 1 });
  const { code } = await during(
    t,
    here,
    isCreation,
    () => here.site.seed({ subjects: theirs }),
    (...endpoint) => here.sync(...endpoint),
  );
  t.is(code, 1);
  t.is((await here.sync()).code, 0);
  t.deepEqual(activeOf(here), names.map(dashed));
});

type Form = { json: { properties: Record<string, unknown> } };

const fieldsOf = ({ site }: Harness): string[] => Object.keys((site.state().form as Form).json.properties);

/** The form of another area, which was read before ours was there. */
const otherForm = plannedForm([
  { property: 'ext_theirs', title: 'Theirs', kind: 'number', deprecated: false, core: false },
]);
const isFormRead = ({ method, path }: FrontRequest): boolean => method === 'GET' && path.endsWith('types/default/');
const isForm = ({ path }: FrontRequest): boolean => path.endsWith('types/default/');

for (const [name, isMoment] of [
  ['right behind it', (request: FrontRequest, puts: number) => isFormRead(request) && puts === 1],
  ['later in the run', isCreation],
] as const)
  test(`a form that another machine writes over ours, ${name}, ends the run; the next one brings ours in again`, async (t) => {
    const here = await openHarness(t, (folder) => writeTestBundle(folder));
    let [puts, acted] = [0, false];
    const front = await openFront(t, here.site, (request) => {
      if (!acted && isMoment(request, puts)) {
        acted = true;
        here.site.seed({ form: otherForm });
      }
      if (isForm(request) && request.method === 'PUT') puts += 1;
    });
    const { code, json } = await here.sync('--site-endpoint', front, '--output', 'json');
    t.is(code, 1);
    t.like(json(), { failures: [{ step: 'universal_patrol_fields', reason: 'plan_outdated' }] });
    t.is((await here.sync('--site-endpoint', front)).code, 0);
    t.true(['ext_theirs', 'objective', 'station'].every((field) => fieldsOf(here).includes(field)));
    t.is((await here.run('undo', here.recordPath(), ...here.onSite, '--site-endpoint', front)).code, 0);
    t.deepEqual(fieldsOf(here), ['ext_theirs']);
  });

/** A world whose site and calls are on one clock. */
const timeless = async (t: ExecutionContext, employees = [employee('f1'), employee('f2')], state: Seed = {}) => {
  const clock = virtualClock();
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { employees }), { clock, state });
  const run = (command: string, ...args: string[]): Promise<Call> =>
    runTool(testShell({}, clock), [command, ...here.onSite, ...args]);
  return { here, clock, sync: (...more: string[]) => run('patrol-datamodel', '--bundle', here.bundle, ...more), run };
};

test('a subject that the site makes behind a gateway that gave up is there once, and undo leaves nobody', async (t) => {
  const { here, sync, run } = await timeless(t);
  here.site.faults.set({ ...siteFaults.late(5_000), path: 'subjects/', method: 'POST', count: 1 });
  t.is((await sync()).code, 0);
  t.is(here.site.state().subjects.length, 3);
  t.deepEqual(activeOf(here), [dashed('f1'), dashed('f2')]);
  here.writes();
  t.is((await sync()).code, 0);
  t.deepEqual(here.writes(), []);
  t.is((await run('undo', here.recordPath())).code, 0);
  t.deepEqual(activeOf(here), []);
});

test('a subject that the site makes much later is made inactive by the next run, which nobody has to allow', async (t) => {
  const { here, sync } = await timeless(t);
  here.site.faults.set({ ...siteFaults.late(600_000), path: 'subjects/', method: 'POST', count: 1 });
  t.is((await sync()).code, 0);
  t.deepEqual(activeOf(here), [dashed('f1'), dashed('f2')]);
  const [twice] = here.site.state().subjects;
  here.site.seed({ subjects: [...here.site.state().subjects, { ...twice, name: 'Again', id: id('99') }] });
  t.is(activeOf(here).length, 3);
  const { code, out } = await sync('--max-deactivations', '0', '--output', 'json');
  t.is(code, 0, out);
  t.deepEqual(activeOf(here), [dashed('f1'), dashed('f2')]);
});

test('a change that the site carries out after the last attempt was given up is in the record, and undo takes it back', async (t) => {
  const { here, sync, run } = await timeless(t, [employee('f1', { rank: rank('Sergeant') })], state);
  here.site.faults.set({ ...siteFaults.late(8_000), path: 'subjectgroup/*', method: 'POST' });
  t.is((await sync('--patience', '0')).code, 1);
  const members = (): unknown[] => here.site.state().groups.flatMap(({ subjects }) => subjects);
  t.is(members().length, 1);
  here.site.faults.clear();
  t.is((await run('undo', here.recordPath())).code, 0);
  t.deepEqual(members(), []);
});

test('a throttle of 120 a minute and an outage of a minute are waited for, and the run is whole', async (t) => {
  const employees = Array.from({ length: 139 }, (_, i) =>
    employee('f1', { uuid: (i + 4_096).toString(16).padStart(32, '0') }),
  );
  const { here, sync, clock } = await timeless(t, employees);
  here.site.set({ throttle_per_minute: 120 });
  let away = false;
  const front = await openFront(t, here.site, async ({ method, path }) => {
    if (away || method !== 'POST' || path !== 'subjects/' || here.site.state().subjects.length < 50) return;
    away = true;
    await here.site.away(60_000);
  });
  const started = clock.monotonic();
  const { code, err } = await sync('--site-endpoint', front);
  t.is(code, 0, err);
  t.is(here.site.state().subjects.length, 139);
  t.true(away);
  t.true(clock.monotonic() - started < 300_000);
});
