import test, { type ExecutionContext } from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const harness = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

interface Case {
  readonly step: string;
  readonly name: string;
  /** Where the step writes. */
  readonly path: RegExp;
  readonly reading: readonly string[];
  readonly writing: string;
  /** What stderr, --output json and the checklist name. */
  readonly needed: RegExp;
}

const cases: readonly Case[] = [
  {
    step: 'patrol_types',
    name: 'Patrol types',
    path: /^activity\/patrols\/types\//,
    reading: ['activity.view_patroltype', 'activity.view_patrol'],
    writing: 'activity.add_patroltype',
    needed: /activity\.add_patroltype/,
  },
  {
    step: 'universal_patrol_fields',
    name: 'Patrol fields',
    path: /^activity\/patrols\/segments\//,
    reading: ['activity.view_segmenttype'],
    writing: 'activity.change_segmenttype',
    needed: /activity\.change_segmenttype/,
  },
  {
    step: 'choices',
    name: 'Choices',
    path: /^choices\//,
    reading: ['choices.view_choice'],
    writing: 'choices.add_choice',
    needed: /choices\.add_choice/,
  },
  {
    step: 'subjects',
    name: 'Subjects',
    path: /^subjects?\//,
    reading: ['observations.view_subject'],
    writing: 'observations.add_subject',
    needed: /observations\.add_subject/,
  },
  {
    step: 'roster',
    name: 'Roster',
    path: /^subjectgroup\//,
    reading: ['activity.view_patrol'],
    writing: 'observations.change_subjectgroup',
    needed: /observations\.change_subjectgroup/,
  },
];

const markdown = (text: string): string => text.replaceAll('\\', '');

const stepWith = (path: string): string => cases.find((each) => each.path.test(path))?.step ?? path;

/** Steps that wrote something, in order. */
const wrote = (here: Harness): string[] => [
  ...new Set(
    here.site.log
      .writes()
      .filter(({ status }) => status !== 403)
      .map(({ path }) => stepWith(path.replace('/api/v1.0/', ''))),
  ),
];

const all = cases.map(({ step }) => step);

for (const { step, name, reading, needed } of cases)
  test(`403 on reading for "${name}" fails that step alone, named with its permission; exit 1, the others run and are in the record`, async (t) => {
    const here = await harness(t);
    for (const permission of reading) here.site.tokens.revoke(here.site.token, permission);
    const { code, err } = await here.sync();
    t.is(code, 1);
    t.regex(err, new RegExp(`^${name}: .*403|^${name}: .*no permission`, 'm'));
    t.regex(err.split('\n').find((line) => line.startsWith(name)) ?? '', needed);
    // The configuration needs the permission that also lets a token view types.
    const left = ['subjects', 'patrol_types'].includes(step) ? [step, 'roster'] : [step];
    t.deepEqual(
      wrote(here),
      all.filter((each) => !left.includes(each)),
    );
    t.is(here.record().status, 'failed');
    t.regex(markdown(here.read('checklist.md')), needed);
  });

for (const { step, name, writing, needed } of cases)
  test(`403 on writing for "${name}" fails that step alone, named with its permission; exit 1, the others run and are in the record`, async (t) => {
    const here = await harness(t);
    here.site.tokens.revoke(here.site.token, writing);
    const { code, json, err } = await here.sync('--output', 'json');
    t.is(code, 1);
    t.like(json(), { ok: false, reason: 'step_failed' });
    const [failure, ...others] = json()['failures'] as { step: string; reason: string; permissions: string }[];
    t.like(failure, { step, reason: 'site_forbidden' });
    t.regex(failure?.permissions ?? '', needed);
    t.deepEqual(others, []);
    const line = err.split('\n').find((each) => each.startsWith(name) && each.includes('no permission')) ?? '';
    t.regex(line, needed);
    t.regex(line, /(patrol type|universal|choice|subject|roster) /);
    const left = step === 'subjects' ? ['subjects', 'roster'] : [step];
    t.deepEqual(
      wrote(here),
      all.filter((each) => !left.includes(each)),
    );
    const record = here.record();
    t.is(record.status, 'failed');
    t.is(record.changes.length, here.site.log.writes().filter(({ status }) => status !== 403).length);
    t.regex(markdown(here.read('checklist.md')), needed);
  });

for (const { step, name, writing, needed } of cases)
  test(`an older site that answers a write for "${name}" with 200 and an empty list has not carried it out: the step fails, named with its permission`, async (t) => {
    const here = await harness(t);
    here.site.set({ missing_permission: 'empty_list' });
    here.site.tokens.revoke(here.site.token, writing);
    const { code, json } = await here.sync('--output', 'json');
    t.is(code, 1);
    const [failure, ...others] = json()['failures'] as { step: string; reason: string; permissions: string }[];
    t.like(failure, { step, reason: 'site_forbidden' });
    t.regex(failure?.permissions ?? '', needed);
    t.deepEqual(others, []);
  });

test('subjects that an older site hides behind an empty list are not created again', async (t) => {
  const here = await harness(t);
  t.is((await here.sync()).code, 0);
  const { length } = here.site.state().subjects;
  here.site.set({ missing_permission: 'empty_list' });
  here.site.tokens.revoke(here.site.token, 'observations.view_subject');
  const { code, err } = await here.sync();
  t.is(code, 1);
  t.regex(err, /view_subject/);
  t.is(here.site.state().subjects.length, length);
});

test('a plan promises neither types nor a form that the token visibly may not write; the doctor names the permissions that it lacks', async (t) => {
  const here = await harness(t);
  const { ordinaryToken: token, tokens } = here.site;
  for (const permission of ['activity.add_patroltype', 'activity.change_segmenttype']) tokens.revoke(token, permission);
  const { code, out, err } = await here.dry('--site-token', token);
  t.is(code, 1);
  t.notRegex(out, /patrol type patrol_foot/);
  t.regex(err, /^Patrol types: .*\(add_patroltype\).*activity\.add_patroltype/m);
  t.notRegex(out, /universal patrol fields/);
  t.regex(err, /^Patrol fields: PUT .*\(change_segmenttype\).*activity\.change_segmenttype/m);
  const doctor = await here.run('doctor', ...here.onSite, '--site-token', token);
  t.regex(doctor.out, /writing: Patrol types.*lacks activity\.add_patroltype/);
  t.regex(doctor.out, /writing: Patrol fields.*lacks activity\.change_segmenttype/);
  t.regex((await here.run('doctor', ...here.onSite)).out, /^ok +writing: Subjects +the token is that of a superuser$/m);
});

test('a run that failed for a permission and is resumed with it ends as one that did not fail', async (t) => {
  const here = await harness(t);
  here.site.tokens.revoke(here.site.token, 'choices.add_choice');
  await here.sync();
  here.site.tokens.grant(here.site.token, 'choices.add_choice');
  const { code, err } = await here.run('resume', here.recordPath(), ...here.onSite);
  t.is(code, 0, err);
  t.is(here.record().status, 'complete');
  t.is(here.changes().length, 14);
  t.is(here.site.state().choices.length, 7);
});

test('a run of which a step could not be read has failed, so that it can be resumed', async (t) => {
  const here = await harness(t);
  here.site.tokens.revoke(here.site.token, 'choices.view_choice');
  await here.sync();
  here.site.tokens.grant(here.site.token, 'choices.view_choice');
  t.is((await here.run('resume', here.recordPath(), ...here.onSite)).code, 0);
  t.is(here.changes().length, 14);
});
