import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { dashed, employee, id, named, writeTestBundle } from '../test/bundle.ts';
import { openHarness, type Call, type Harness } from '../test/harness.ts';

const marks = { ext_managed_by: 'patrol-datamodel', ext_conservation_area: id('aa') };

/** A ranger of an earlier run, whom the plan leaves as it is. */
const known = {
  name: 'Ranger f1',
  additional: { ext_member_id: dashed('f1'), ext_employee_id: 'staff-f1', ext_ca_uuid: dashed('aa'), ...marks },
};

const planOf = ({ folder }: Harness): string => join(folder, 'plan.json');

/** A plan whose carrying out has failed at the subjects. */
const failedApply = async (t: ExecutionContext): Promise<Harness & { resume(...more: string[]): Promise<Call> }> => {
  const here = await openHarness(
    t,
    (folder) =>
      writeTestBundle(folder, {
        stations: [{ uuid: id('c1'), ...named('Post One') }],
        employees: [employee('f1'), employee('f2')],
      }),
    { state: { subjects: [known] } },
  );
  await here.dry('--plan-out', planOf(here));
  here.site.tokens.revoke(here.site.token, 'observations.add_subject');
  t.is((await here.run('apply', '--plan', planOf(here), ...here.onSite)).code, 1);
  here.site.tokens.grant(here.site.token, 'observations.add_subject');
  here.writes();
  const resume = (...more: string[]): Promise<Call> =>
    here.run('resume', here.recordPath(), ...here.onSite, '--output', 'json', ...more);
  return { ...here, resume };
};

const hashOf = (here: Harness): string =>
  (JSON.parse(readFileSync(planOf(here), 'utf8')) as { readonly hash: string }).hash;

test('resume writes what is left of the approved plan, in a record of its own, and leaves what the plan does not name', async (t) => {
  const here = await failedApply(t);
  const [ranger] = here.site.state().subjects;
  here.site.edit('subjects', ranger?.id ?? '', { is_active: false, name: 'Resigned' });
  const { code, out } = await here.resume();
  t.is(code, 0, out);
  t.like(here.site.state().subjects[0], { is_active: false, name: 'Resigned' });
  t.deepEqual(
    here.writes().map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/, '<id>')}`),
    ['POST subjects/', 'POST subjectgroup/<id>/subjects/'],
  );
  t.like(here.record(), { status: 'complete', plan_hash: hashOf(here), continues: here.records().toSorted()[0] });
  t.like((await here.resume()).json(), { ok: true, finished: true });
});

test('resume of an approved plan stops before its first write when somebody has changed what the plan wrote', async (t) => {
  const here = await failedApply(t);
  const station = here.site.state().choices.find(({ value }) => value === id('c1'));
  here.site.edit('choices', station?.id ?? '', { is_active: false });
  const { code, json } = await here.resume();
  t.is(code, 1);
  t.is(json()['reason'], 'plan_outdated');
  t.deepEqual(here.writes(), []);
  t.like(
    here.site.state().choices.find(({ value }) => value === id('c1')),
    { is_active: false },
  );
});

test('a retry hands over plan and hash: another plan than that of the record, or than the approved one, is refused', async (t) => {
  const here = await failedApply(t);
  const other = 'ab'.repeat(32);
  t.is((await here.resume('--approved', other)).json()['reason'], 'plan_invalid');
  const moved = join(here.folder, 'moved.json');
  renameSync(planOf(here), moved);
  t.is((await here.resume()).json()['reason'], 'plan_invalid');
  await here.dry('--plan-out', planOf(here));
  t.is((await here.resume('--plan', planOf(here))).json()['reason'], 'record_invalid');
  here.writes();
  t.is(
    (await here.resume('--plan', moved, '--approved', hashOf({ ...here, folder: here.folder }))).json()['ok'],
    false,
  );
  const hash = here.record().plan_hash;
  t.is((await here.resume('--plan', moved, '--approved', hash)).code, 0);
});

test('a record that names no plan is resumed with the plan that is given', async (t) => {
  const here = await failedApply(t);
  const record = JSON.parse(readFileSync(here.recordPath(), 'utf8')) as Record<string, unknown>;
  delete record['plan'];
  writeFileSync(here.recordPath(), JSON.stringify(record));
  t.is((await here.resume('--approved', hashOf(here))).json()['reason'], 'record_invalid');
  const [ranger] = here.site.state().subjects;
  here.site.edit('subjects', ranger?.id ?? '', { is_active: false });
  t.is((await here.resume('--plan', planOf(here), '--approved', hashOf(here))).code, 0);
  t.false(here.site.state().subjects[0]?.is_active);
});

test('a run that was taken back says so, and is not resumed', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder));
  t.is((await here.sync()).code, 0);
  const path = here.recordPath();
  t.is((await here.run('--dry-run', 'undo', path, ...here.onSite)).code, 0);
  t.is(here.record().undone, undefined);
  t.is((await here.run('undo', path, ...here.onSite)).code, 0);
  t.like(here.record().undone, { deleted_subjects: false });
  here.writes();
  const { code, json } = await here.run('resume', path, ...here.onSite, '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'record_invalid');
  t.regex(String(json()['message']), /taken back/);
  t.deepEqual(here.writes(), []);
  t.is((await here.run('undo', path, ...here.onSite)).code, 0);
});

test('resume writes the checklist of the run, wherever that was', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder));
  const checklist = join(here.folder, 'left-to-do.md');
  here.site.tokens.revoke(here.site.token, 'observations.add_subject');
  t.is((await here.sync('--checklist', checklist)).code, 1);
  rmSync(checklist);
  here.site.tokens.grant(here.site.token, 'observations.add_subject');
  t.is((await here.run('resume', here.recordPath(), ...here.onSite)).code, 0);
  t.deepEqual(
    here.files().filter((name) => name.endsWith('.md')),
    ['left-to-do.md'],
  );
});
