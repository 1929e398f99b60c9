import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { employee, writeTestBundle } from '../test/bundle.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), options);

const membersOf = ({ site }: Harness, name: string): number =>
  site.state().groups.find((group) => group.name === name)?.subjects.length ?? 0;

for (const dry of [[], ['--dry-run']])
  test(`--roster-group that the site does not have ends ${dry[0] ?? 'the run'} before the first write, named, and is open on the checklist`, async (t) => {
    const here = await sample(t);
    const call = [...dry, 'patrol-datamodel', '--bundle', here.bundle, ...here.onSite, '--output', 'json'];
    const { code, err, json } = await here.run(...call, '--roster-group', 'Nobody');
    t.is(code, 1);
    t.regex(err, /^Roster: .*"Nobody"/m);
    t.is(json()['reason'], 'roster_group_unknown');
    t.like((json()['failures'] as unknown[])[0], { step: 'roster', reason: 'roster_group_unknown' });
    t.deepEqual([here.writes(), here.records()], [[], []]);
    t.regex(here.read('checklist.md'), /\[ \] Create the subject group "Nobody"/);
  });

test('--roster-group takes the group of that name, hidden and nested ones too', async (t) => {
  const here = await sample(t);
  const { groups } = here.site.state();
  const outer = groups[1]?.id ?? null;
  const nested = { name: 'Night', parent: outer, hidden: true };
  here.site.seed({ groups: [...groups, { name: 'Night patrol' }, nested] });
  t.is((await here.sync('--roster-group', 'Night')).code, 0);
  t.is(membersOf(here, 'Night'), 3);
  t.is(membersOf(here, 'Rangers'), 0);
});

test('--roster-group in another case is the same group; two that differ in case alone end the run before the first write', async (t) => {
  const here = await sample(t);
  t.is((await here.sync('--roster-group', ' rangers')).code, 0);
  t.is(membersOf(here, 'Rangers'), 3);
  here.site.seed({ groups: [...here.site.state().groups, { name: 'RANGERS' }] });
  here.writes();
  const { code, json } = await here.sync('--roster-group', 'rangers', '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'roster_group_ambiguous');
  t.deepEqual(here.writes(), []);
});

for (const config of ['empty', 'not_found'] as const)
  test(`a configuration without member groups (${config}) leaves the roster to a person: exit 0 and a checklist item`, async (t) => {
    const here = await sample(t, { switches: { config } });
    const { code, json } = await here.sync('--output', 'json');
    t.is(code, 0);
    t.deepEqual(json()['skipped'], { roster: 'no_group' });
    t.regex(here.read('checklist.md'), /Choose the roster group/);
    t.is(here.writes().length, 13);
  });

test('verify says that the site has everything only of the steps that it looked at, and names the others with what to do', async (t) => {
  const here = await sample(t, { switches: { config: 'empty', patrol_schemas: 'off' } });
  const { out } = await here.sync();
  t.regex(out, /^Patrol fields .* not carried out: the preview feature .* is off$/m);
  t.regex(out, /^Roster .* not carried out: the patrol configuration names no group .*$/m);
  t.notRegex(out, /0 options not in the bundle/);
  const verify = ['verify', '--bundle', here.bundle, ...here.onSite];
  const seen = await here.run(...verify);
  t.is(seen.code, 0);
  t.regex(
    seen.out,
    /^In these steps the site has everything that the bundle asks for: Patrol types, Choices, Subjects\.$/m,
  );
  t.regex(seen.out, /^Patrol fields: not looked at, because .* is off\. Have the preview feature .*$/m);
  t.regex(seen.out, /^Roster: not looked at, because .*\. Choose the roster group .*$/m);
  const { json } = await here.run(...verify, '--output', 'json');
  t.deepEqual(json()['skipped'], { universal_patrol_fields: 'feature_off', roster: 'no_group' });
  here.site.set({ config: 'found', patrol_schemas: 'on' });
  t.is((await here.sync()).code, 0);
  t.regex((await here.run(...verify)).out, /^The site has everything that the bundle asks for\.$/m);
});

test('a configured member group that is gone counts as none', async (t) => {
  const here = await sample(t, { state: { member_groups: ['00000000-0000-4000-a000-00000000dead'] } });
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 0);
  t.deepEqual(json()['skipped'], { roster: 'no_group' });
});

for (const config_items of ['ids', 'objects', 'names'] as const)
  test(`plan and checklist name the roster group, with a configuration of ${config_items}`, async (t) => {
    const here = await sample(t, { switches: { config_items } });
    const { out } = await here.dry();
    t.regex(out, /roster "Rangers": 3 to join/);
    t.regex(here.read('checklist.md'), /"Rangers"/);
  });

test('more than a hundred join in calls of a hundred, each an entry of its own; the summary counts who joined', async (t) => {
  const pairs = Array.from({ length: 205 }, (_, i) => (i + 16).toString(16).padStart(32, '0'));
  const here = await openHarness(t, (folder) =>
    writeTestBundle(folder, {
      employees: pairs.map((uuid, i) => employee('f1', { uuid, id: `s${i}`, family_name: `${i}` })),
    }),
  );
  const { json } = await here.sync('--output', 'json');
  t.is(json()['roster_added'], 205);
  t.deepEqual(
    here
      .record()
      .changes.flatMap((change) => (change.kind === 'roster' ? [change.subject_ids.length] : []))
      .toSorted(),
    [100, 100, 5],
  );
});

test('of a roster of which one call fails, those of the others are counted and in the record', async (t) => {
  const pairs = Array.from({ length: 205 }, (_, i) => (i + 16).toString(16).padStart(32, '0'));
  const here = await openHarness(t, (folder) =>
    writeTestBundle(folder, {
      employees: pairs.map((uuid, i) => employee('f1', { uuid, id: `s${i}`, family_name: `${i}` })),
    }),
  );
  here.site.faults.set({ fault: 'status', status: 400, path: 'subjectgroup/*', method: 'POST', count: 1 });
  const { json } = await here.sync('--output', 'json');
  const { created, failed } = (json()['steps'] as { roster: Record<string, number> }).roster;
  t.is((created ?? 0) + (failed ?? 0), 205);
  t.is(json()['roster_added'], created);
  t.is(membersOf(here, 'Rangers'), created ?? -1);
});

test('who could not be created is left out of the roster and of its count', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ fault: 'status', status: 400, path: 'subjects/', method: 'POST', skip: 1, count: 1 });
  const { json } = await here.sync('--output', 'json');
  t.is(json()['roster_added'], 2);
  t.is(membersOf(here, 'Rangers'), 2);
});

test('members that are there already are not added again, and others stay', async (t) => {
  const here = await sample(t, {
    state: { subjects: [{ id: '00000000-0000-4000-a000-000000000001', name: 'Somebody' }] },
  });
  const [base, roster] = here.site.state().groups;
  here.site.seed({ groups: [base!, { ...roster!, subjects: ['00000000-0000-4000-a000-000000000001'] }] });
  await here.sync();
  t.is(membersOf(here, 'Rangers'), 4);
  await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(membersOf(here, 'Rangers'), 1);
});

test('the table of a dry run says how many join the roster group, as its plan does', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  const { out } = await here.dry();
  t.regex(out, /^\+ roster "Rangers": 3 to join$/m);
  t.regex(out, /^Roster +3 +0 +0 +0 *$/m);
  t.regex(out, /3 subjects would be added to the roster group/);
  t.is((await here.dry('--output', 'json')).json()['roster_added'], 0);
});
