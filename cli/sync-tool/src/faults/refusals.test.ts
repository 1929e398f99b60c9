import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { employee, id, named, transport, writeTestBundle } from '../test/bundle.ts';
import { openFront } from '../test/front.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), options);

const failuresOf = (json: Record<string, unknown>) => json['failures'] as { step: string; reason: string }[];
const stepOf = (json: Record<string, unknown>, step: string) =>
  (json['steps'] as Record<string, Record<string, number>>)[step];

test('a token that is not taken stops the run before the first write', async (t) => {
  const here = await sample(t);
  here.site.tokens.delete(here.site.token);
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.like(json(), { ok: false, reason: 'site_unauthorized' });
  t.deepEqual(here.site.log.writes(), []);
  t.deepEqual(here.records(), []);
});

test('a token that is taken away during the run stops it at once; what was written is in the record', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ fault: 'status', status: 401, path: 'choices/', method: 'POST', skip: 2 });
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'site_unauthorized');
  const writes = here.site.log.writes();
  t.true(writes.filter(({ status }) => status === 401).length <= 8);
  t.true(writes.every(({ path }) => !path.includes('subject')));
  const record = here.record();
  t.is(record.status, 'failed');
  t.is(record.changes.length, writes.filter(({ status }) => status !== 401).length);
});

test('a choice that appeared between reading and writing is left; the next run updates it, and undo gives back what was there', async (t) => {
  const here = await sample(t);
  let done = false;
  const front = await openFront(t, here.site, ({ method, path }) => {
    if (done || method !== 'POST' || path !== 'choices/') return;
    done = true;
    here.site.seed({
      choices: [{ field: 'patrol_mandate', value: 'routine', display: 'Of an admin', is_active: false }],
    });
  });
  const first = await here.sync('--site-endpoint', front, '--output', 'json');
  t.is(first.json()['reason'], 'plan_outdated');
  const { code, err } = await here.sync('--site-endpoint', front);
  t.is(code, 0, err);
  const routine = () => here.site.state().choices.find(({ value }) => value === 'routine');
  t.like(routine(), { display: 'Routine', is_active: true });
  t.like(
    here.record().changes.find((change) => change.kind === 'choice' && change.value === 'routine'),
    { action: 'updated', before: { display: 'Of an admin', is_active: false } },
  );
  await here.run('undo', here.recordPath(), ...here.onSite, '--site-endpoint', front);
  t.like(routine(), { display: 'Of an admin', is_active: false });
});

test('a patrol type that appeared between reading and writing is left; the next run updates it, and undo does not delete it', async (t) => {
  const here = await sample(t);
  let done = false;
  const front = await openFront(t, here.site, ({ method, path }) => {
    if (done || method !== 'POST' || path !== 'activity/patrols/types/') return;
    done = true;
    here.site.seed({ types: [{ value: 'patrol_foot', display: 'Of an admin' }] });
  });
  const { json } = await here.sync('--site-endpoint', front, '--output', 'json');
  t.is(json()['reason'], 'plan_outdated');
  const foot = () => here.site.state().types.find(({ value }) => value === 'patrol_foot');
  t.is(foot()?.display, 'Of an admin');
  t.is((await here.sync('--site-endpoint', front)).code, 0);
  t.is(foot()?.display, 'Foot');
  await here.run('undo', here.recordPath(), ...here.onSite, '--site-endpoint', front);
  t.is(foot()?.display, 'Of an admin');
});

for (const inactive_types of ['on_request', 'shown', 'unlisted'] as const)
  test(`inactive types that a site shows ${inactive_types} are found: a second run changes what differs and ends well`, async (t) => {
    const transports = [transport('b1', 'foot', false), transport('b2', 'boat')];
    const here = await openHarness(t, (folder) => writeTestBundle(folder, { transports }), {
      switches: { inactive_types },
    });
    t.is((await here.sync()).code, 0);
    here.site.seed({
      types: here.site.state().types.map(({ value, display }) => ({ value, display, is_active: false })),
    });
    const { code, err } = await here.sync();
    t.is(code, 0, err);
    t.deepEqual(
      here.site.state().types.map(({ value, is_active }) => [value, is_active]),
      [
        ['patrol_foot', false],
        ['patrol_boat', true],
      ],
    );
  });

test('a record that the site refuses with 500 fails alone, is counted once and not sent again', async (t) => {
  const here = await sample(t);
  const tooLong = JSON.stringify({ status: { code: 500, detail: 'value too long for type character varying(100)' } });
  here.site.faults.set({
    fault: 'status',
    status: 500,
    body: tooLong,
    path: 'choices/',
    method: 'POST',
    skip: 1,
    count: 1,
  });
  const { code, json, err } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.deepEqual(
    failuresOf(json()).map(({ step, reason }) => [step, reason]),
    [['choices', 'site_refused']],
  );
  t.like(stepOf(json(), 'choices'), { created: 6, failed: 1 });
  t.like(stepOf(json(), 'subjects'), { created: 3, failed: 0 });
  t.regex(err, /^Choices: .*value too long/m);
  t.is(here.site.log.writes().filter(({ path }) => path.endsWith('/choices/')).length, 7);
  t.is(here.record().changes.length, 13);
});

test('a record that the site refuses with 500 keeps none of the many after it from being sent', async (t) => {
  const mandates = Array.from({ length: 40 }, (_, i) => ({
    uuid: (i + 4_096).toString(16).padStart(32, '0'),
    key: `m${i}`,
    is_active: true,
    names: {},
  }));
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { mandates }));
  here.site.faults.set({ fault: 'status', status: 500, path: 'choices/', method: 'POST', skip: 1, count: 1 });
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.like(stepOf(json(), 'choices'), { created: 40, failed: 1 });
});

test('a subject subtype that the site does not know fails the step with the first subject, and is on the checklist', async (t) => {
  const here = await sample(t, { state: { subtypes: ['driver'] } });
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.deepEqual(
    failuresOf(json()).map(({ step, reason }) => [step, reason]),
    [['subjects', 'subject_subtype_unknown']],
  );
  t.is(here.site.log.writes().filter(({ path }) => path.endsWith('/subjects/') && !path.includes('group')).length, 1);
  t.regex(here.read('checklist.md'), /subject subtype "ranger"/);
});

test('a site without a default subject group fails the step with the first subject, and is on the checklist', async (t) => {
  const here = await sample(t, { state: { default_group: null } });
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.deepEqual(
    failuresOf(json()).map(({ step, reason }) => [step, reason]),
    [['subjects', 'default_group_missing']],
  );
  t.is(here.site.log.writes().filter(({ path }) => path.endsWith('/subjects/') && !path.includes('group')).length, 1);
  t.regex(here.read('checklist.md'), /default subject group/);
});

test('types that cannot be written mean a site that is too old, of which it is asked once a run: no plan promises them, the step fails without a write, the others run', async (t) => {
  const here = await sample(t, { switches: { types_read_only: true } });
  const dry = await here.dry();
  t.is(dry.code, 1);
  t.notRegex(dry.out, /patrol type patrol_foot "/);
  t.regex(dry.err, /^Patrol types: .*OPTIONS .*types/m);
  t.regex((await here.run('doctor', ...here.onSite)).out, /patrol types.*OPTIONS/);
  here.site.log.clear();
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.deepEqual(
    failuresOf(json()).map(({ step, reason }) => [step, reason]),
    [['patrol_types', 'site_too_old']],
  );
  t.is(here.site.log.entries().filter(({ method }) => method === 'OPTIONS').length, 1);
  t.false(here.writes().some(({ path }) => path.startsWith('activity/patrols/types/')));
  t.is(here.record().changes.length, 12);
  t.regex(here.read('checklist.md'), /too old/);
});

test('a site without the calls for members of a group is too old for the roster, in doctor, plan, run and checklist', async (t) => {
  const here = await sample(t, { switches: { member_calls: 'not_found' } });
  t.regex((await here.run('doctor', ...here.onSite)).out, /roster group .*too old/);
  for (const more of [[], ['--roster-group', 'Rangers']])
    for (const call of [here.dry, here.sync]) {
      const { code, err } = await call(...more);
      t.is(code, 1);
      t.regex(err, /^Roster: GET .*subjectgroup\/.* too old/m);
      t.notRegex(err, /check the address/);
      t.regex(here.read('checklist.md'), /^- \[ \] Update the site: it is too old for the step "Roster"/m);
    }
});

test('a token that may not view the default group stops after one subject, counted as created; the next run makes no second', async (t) => {
  const here = await sample(t);
  const { tokens, ordinaryToken } = here.site;
  const [, roster = ''] = here.site.state().groups.map(({ id }) => id);
  tokens.put({
    token: ordinaryToken,
    groups: [roster],
  });
  const { code, json } = await here.sync('--output', 'json', '--site-token', ordinaryToken);
  t.is(code, 1);
  t.deepEqual(
    failuresOf(json()).map(({ step, reason }) => [step, reason]),
    [['subjects', 'subject_not_visible']],
  );
  t.like(stepOf(json(), 'subjects'), { created: 1, failed: 0 });
  t.is(here.site.state().subjects.length, 1);
  t.regex(here.read('checklist.md'), /Let the token view the default subject group/);
  const undone = await here.run('undo', here.recordPath(), ...here.onSite, '--site-token', ordinaryToken);
  t.regex(undone.out, /left: subject .*does not see it/);
});

test('when the first subject is refused, the first one that is created is the one that has to be seen', async (t) => {
  const here = await openHarness(t, (folder) =>
    writeTestBundle(folder, { employees: ['f1', 'f2', 'f3', 'f4'].map((pair) => employee(pair)) }),
  );
  const { ordinaryToken } = here.site;
  const [, roster = ''] = here.site.state().groups.map(({ id }) => id);
  here.site.tokens.put({ token: ordinaryToken, groups: [roster] });
  here.site.faults.set({ fault: 'status', status: 400, path: 'subjects/', method: 'POST', count: 1 });
  await here.sync('--site-token', ordinaryToken);
  t.is(here.site.state().subjects.length, 1);
});

/** A refusal of every record that is posted. */
const refusal = (text: string) =>
  ({ fault: 'status', status: 400, body: JSON.stringify({ value: [text] }), method: 'POST' }) as const;

test('records that the site refuses are named as the plan prints them, equal reasons once with their number and the first five', async (t) => {
  const mandates = Array.from({ length: 8 }, (_, at) =>
    Object.assign(named(`Mandate ${at}`), { uuid: id(`d${at}`), key: `m${at}` }),
  );
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { mandates, employees: [employee('f1')] }));
  here.site.faults.set({ ...refusal('Not this one.'), path: 'choices/', count: 7 });
  here.site.faults.set({ ...refusal('Not so many.'), path: 'subjects/' });
  const { code, err, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  const lines = err.split('\n').filter((line) => /^(Choices|Subjects): .*refuses/.test(line));
  t.is(lines.length, 2, err);
  t.regex(
    lines[0] ?? '',
    /^Choices: choice patrol_mandate m\d "Mandate \d", (choice .*?, ){3}choice patrol_mandate m\d "Mandate \d" and 2 more: POST .*Not this one/,
  );
  t.regex(lines[1] ?? '', /^Subjects: subject "Ranger f1": POST .*Not so many/);
  const [choices] = failuresOf(json()) as unknown as { refused: { count: number; objects: string[] }[] }[];
  t.like(choices?.refused[0], { reason: 'site_refused', count: 7 });
  t.is(choices?.refused[0]?.objects.length, 5);
  t.regex(here.read('checklist.md').replaceAll('\\', ''), /Failed:\*\* Subjects: subject "Ranger f1"/);
});
