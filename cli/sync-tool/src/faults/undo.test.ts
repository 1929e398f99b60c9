import { readFileSync } from 'node:fs';
import { plainId } from '@ranger-relay/site';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { undoReportSchema } from '@ranger-relay/contracts';
import type { FreshSiteOptions, SiteState } from '@ranger-relay/simulators';
import { systemClock } from '@ranger-relay/runtime';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openHarness, runTool, type Harness } from '../test/harness.ts';
import { thisMachine } from '../run/machine.ts';
import { testShell } from '../test/shell.ts';

const sample = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), options);

const undo = (here: Harness, ...more: readonly string[]) =>
  here.run('undo', here.recordPath(), ...here.onSite, ...more);

/** A site that has something of everything, which the run updates. */
const used: FreshSiteOptions = {
  state: {
    types: [{ value: 'patrol_foot', display: 'Walk' }],
    choices: [{ field: 'patrol_mandate', value: 'routine', display: 'Old' }],
    subjects: [{ name: 'Old name', additional: { ext_member_id: 'f1'.repeat(16) } }],
  },
};

type Row = { readonly id: string };
type Table = 'types' | 'choices' | 'subjects';

/** Somebody changes one row. */
const change = ({ site }: Harness, table: Table, is: (row: never) => boolean, members: object): void => {
  const rows = site.state()[table] as readonly Row[];
  site.seed({ [table]: rows.map((row) => (is(row as never) ? Object.assign({}, row, members) : row)) });
};

const rowOf = <T extends Table>({ site }: Harness, table: T, is: (row: SiteState[T][number]) => boolean) =>
  (site.state()[table] as readonly SiteState[T][number][]).find(is);

const isFoot = ({ value }: { value: string }): boolean => value === 'patrol_foot';
const isRoutine = ({ value }: { value: string }): boolean => value === 'routine';
const isFirst = ({ additional }: { additional: object }): boolean =>
  plainId((additional as { ext_member_id?: string }).ext_member_id ?? '') === 'f1'.repeat(16);

const isStation = ({ field }: { field: string }): boolean => field === 'patrol_station';

interface Case {
  readonly kind: string;
  readonly named: RegExp;
  readonly edit: (here: Harness) => void;
  readonly now: (here: Harness) => unknown;
  /** After --force, of what the run created and of what it updated. */
  readonly forced: readonly [created: unknown, updated: unknown];
}

const cases: readonly Case[] = [
  {
    kind: 'patrol_type',
    named:
      /^left: patrol type patrol_foot "Edited": display is "Edited", the run wrote "Foot"; by force: .* \(.*--force patrol_type /m,
    edit: (here) => change(here, 'types', isFoot as never, { display: 'Edited' }),
    now: (here) => rowOf(here, 'types', isFoot)?.display,
    forced: [undefined, 'Walk'],
  },
  {
    kind: 'choice',
    named:
      /^left: choice patrol_mandate routine "Edited": display is "Edited", the run wrote "Routine"; by force: .* → .* \(.*--force choice /m,
    edit: (here) => change(here, 'choices', isRoutine as never, { display: 'Edited' }),
    now: (here) => {
      const { display, is_active } = rowOf(here, 'choices', isRoutine) ?? {};
      return `${display} ${is_active}`;
    },
    forced: ['Edited false', 'Old true'],
  },
  {
    kind: 'subject',
    named:
      /^left: subject "Edited": name is "Edited", the run wrote "Ranger One"; by force: .* → .* \(.*--force subject /m,
    edit: (here) => change(here, 'subjects', isFirst as never, { name: 'Edited' }),
    now: (here) => {
      const { name, is_active } = rowOf(here, 'subjects', isFirst) ?? {};
      return `${name} ${is_active}`;
    },
    forced: ['Edited false', 'Old name true'],
  },
];

for (const { kind, named, edit, now, forced } of cases)
  for (const [made, at] of [
    ['created', 0],
    ['updated', 1],
  ] as const)
    test(`undo leaves a ${kind} that the run ${made} and somebody changed since, names it, and takes it back with --force ${kind}`, async (t) => {
      const here = await sample(t, made === 'updated' ? used : {});
      await here.sync();
      edit(here);
      const edited = now(here);
      const { code, out } = await undo(here);
      t.is(code, 3);
      t.regex(out, named);
      t.is(out.match(/^left:/gm)?.length, 1);
      t.is(now(here), edited);
      t.regex((await undo(here, '--force', 'roster')).out, named);
      t.is(now(here), edited);
      await undo(here, '--force', kind);
      t.is(now(here), forced[at]);
    });

test('what an admin has undone by hand counts as undone and is not written again', async (t) => {
  const here = await sample(t);
  await here.sync();
  const [first] = here.site.state().choices;
  change(here, 'choices', (({ id }: Row) => id === first?.id) as never, { is_active: false });
  here.site.seed({ types: [] });
  here.writes();
  const { code } = await undo(here);
  t.is(code, 0);
  t.false(here.writes().some(({ path }) => path.includes('types/patrol') || path.includes(first?.id ?? '')));
});

test('what somebody does after an undo stays when the undo is repeated, also by force, though it is what the run wrote', async (t) => {
  const here = await sample(t, used);
  await here.sync();
  t.is((await undo(here)).code, 0);
  change(here, 'types', isFoot as never, { display: 'Foot' });
  change(here, 'choices', isStation as never, { is_active: true });
  const again = await undo(here);
  t.regex(again.out, /^already undone: patrol type patrol_foot \(an earlier undo took it back\)/m);
  t.is(rowOf(here, 'types', isFoot)?.display, 'Foot');
  t.true(rowOf(here, 'choices', isStation)?.is_active);
  t.is((await undo(here, '--force', 'patrol_type', 'choice')).code, 0);
  t.is(rowOf(here, 'types', isFoot)?.display, 'Foot');
  t.true(rowOf(here, 'choices', isStation)?.is_active);
});

test('an undo says every second in the record what it has undone, so that after a kill it is not undone again', async (t) => {
  const here = await sample(t, used);
  await here.sync();
  const { disk, ...machine } = thisMachine();
  const marked: number[] = [];
  const rename = async (from: string, to: string): Promise<void> => {
    await disk.rename(from, to);
    if (to === here.recordPath()) marked.push(here.record().undone?.entries?.length ?? 0);
  };
  let seconds = 0;
  const clock = { ...systemClock, monotonic: () => (seconds += 1) * 1_000 };
  const shell = { ...testShell({}, clock), machine: { ...machine, disk: { ...disk, rename } } };
  t.is((await runTool(shell, ['undo', here.recordPath(), ...here.onSite])).code, 0);
  const entries = here.record().undone?.entries?.length ?? 0;
  t.true(entries > 3);
  t.deepEqual(
    [...new Set(marked)],
    Array.from({ length: entries + 1 }, (_, n) => n),
  );
});

test('a type that somebody made anew with the same value is not the one that the run created', async (t) => {
  const here = await sample(t);
  await here.sync();
  here.site.seed({ types: [{ value: 'patrol_foot', display: 'Foot' }] });
  await undo(here);
  t.deepEqual(
    here.site.state().types.map(({ value }) => value),
    ['patrol_foot'],
  );
});

test('a type that patrols use is made inactive, else it is deleted; also where the filter does not count', async (t) => {
  for (const patrol_filter of ['honoured', 'ignored'] as const) {
    const here = await sample(t, { switches: { patrol_filter } });
    await here.sync();
    here.site.seed({ patrols: [{ types: ['patrol_foot'] }] });
    await undo(here);
    const types = here.site.state().types.map(({ value, is_active }) => `${value} ${is_active}`);
    t.deepEqual(
      types,
      patrol_filter === 'honoured' ? ['patrol_foot false'] : ['patrol_foot false', 'patrol_boat false'],
    );
  }
});

for (const set of [{ icon: 'walker' }, { ordernum: 7 }, { default_priority: 200 }])
  test(`a type whose ${Object.keys(set)[0]} an admin has set since the run is made inactive instead of deleted, as the dry run says, and deleted only by force`, async (t) => {
    const here = await sample(t);
    await here.sync();
    change(here, 'types', isFoot as never, set);
    const call = ['undo', here.recordPath(), ...here.onSite];
    const line =
      /undo(?:ne)?: (patrol type patrol_foot "Foot": is_active true → false \(set since, and kept: \w+ \S+ → \S+\))$/m;
    const [dry, real] = [await here.run('--dry-run', ...call), await here.run(...call)];
    t.truthy(line.exec(real.out)?.[1], real.out);
    t.is(line.exec(dry.out)?.[1], line.exec(real.out)?.[1]);
    t.like(rowOf(here, 'types', isFoot), { ...set, is_active: false });
    await here.sync();
    t.like(rowOf(here, 'types', isFoot), { ...set, is_active: true });
    const forced = await sample(t);
    await forced.sync();
    change(forced, 'types', isFoot as never, set);
    await undo(forced, '--force', 'patrol_type');
    t.is(rowOf(forced, 'types', isFoot), undefined);
  });

test('a site that knows types by id alone is undone too', async (t) => {
  const here = await sample(t, { switches: { type_address: 'id' } });
  await here.sync();
  t.is((await undo(here)).code, 0);
  t.deepEqual(here.site.state().types, []);
});

test('a choice whose id the site never told is found by field and value', async (t) => {
  const here = await sample(t, { switches: { choice_without_id: true } });
  await here.sync();
  t.is((await undo(here)).code, 0);
  t.true(here.site.state().choices.every(({ is_active }) => !is_active));
});

test('--delete-subjects deletes those that the run created and no other, also after an undo without it', async (t) => {
  const here = await sample(t, used);
  await here.sync();
  await undo(here);
  t.is(here.site.state().subjects.length, 3);
  const { code, out } = await undo(here, '--delete-subjects');
  t.is(code, 0);
  t.is(out.match(/^undone: subject .*deleted/gm)?.length, 2);
  t.deepEqual(
    here.site.state().subjects.map(({ name }) => name),
    ['Old name'],
  );
  t.is((await undo(here, '--delete-subjects')).code, 0);
  t.is((await undo(here)).code, 0);
  t.true(here.record().undone?.deleted_subjects);
});

test('--delete-subjects leaves one that somebody changed, active or not', async (t) => {
  const here = await sample(t);
  await here.sync();
  change(here, 'subjects', isFirst as never, { name: 'Edited', is_active: false });
  const { out } = await undo(here, '--delete-subjects');
  t.regex(out, /^left: subject "Edited": is_active is false, the run wrote true; name is/m);
  t.deepEqual(
    here.site.state().subjects.map(({ name }) => name),
    ['Edited'],
  );
});

test('without the permission to delete the subject is inactive, its entry failed, and the others are undone', async (t) => {
  const here = await sample(t);
  await here.sync();
  here.site.tokens.revoke(here.site.token, 'observations.delete_subject');
  const summary = join(here.folder, 'end.json');
  const call = ['--summary-file', summary, 'undo', here.recordPath(), ...here.onSite, '--delete-subjects'];
  const { code, json } = await here.run(...call, '--output', 'json');
  t.is(code, 1);
  t.like(json(), { ok: false, reason: 'step_failed', failed: 3 });
  t.like(JSON.parse(readFileSync(summary, 'utf8')), { reason: 'step_failed', message: 'Failed: Subjects' });
  t.true(here.site.state().subjects.every(({ is_active }) => !is_active));
  t.deepEqual(here.site.state().types, []);
});

test('what a run updated and is gone since, by an undo or a person, needs no undo', async (t) => {
  const here = await sample(t);
  await here.sync();
  change(here, 'types', isFoot as never, { display: 'In between' });
  await here.sync();
  const [one = '', other = ''] = here.records().map((name) => join(here.folder, name));
  t.is((await here.run('undo', one, ...here.onSite)).code, 0);
  t.is(rowOf(here, 'types', isFoot), undefined);
  const { code, out } = await here.run('undo', one, other, ...here.onSite);
  t.is(code, 0, out);
  t.regex(out, /^already undone: patrol type patrol_foot \(it is gone\)$/m);
});

test('records of several runs are undone newest first, in whatever order they are given', async (t) => {
  const here = await sample(t, used);
  const before = here.site.state();
  await here.sync();
  change(here, 'choices', isRoutine as never, { display: 'In between' });
  await here.sync();
  const [one = '', other = ''] = here.records().map((name) => join(here.folder, name));
  for (const paths of [
    [one, other],
    [other, one, one],
  ]) {
    const { code, json } = await here.run('--dry-run', 'undo', ...paths, ...here.onSite, '--output', 'json');
    t.is(code, 3);
    t.is((json()['entries'] as { record: string }[])[0]?.record, here.records()[1]);
  }
  const { out } = await here.run('undo', one, other, ...here.onSite);
  t.regex(out, /^left: choice patrol_mandate routine/m);
  t.is(rowOf(here, 'choices', isRoutine)?.display, 'In between');
  t.deepEqual(here.site.state().types, before.types);
});

test('undo --dry-run sends nothing, leaves no report, and says what it would do', async (t) => {
  const here = await sample(t);
  await here.sync();
  here.writes();
  const files = here.files();
  const { code, out } = await here.run('--dry-run', 'undo', here.recordPath(), ...here.onSite, '--delete-subjects');
  t.is(code, 0);
  t.regex(out, /^14 to undo, 0 to leave/m);
  t.regex(out, /Nothing was written/);
  t.deepEqual(here.writes(), []);
  t.deepEqual(here.files(), files);
});

test('the report of an undo lists every entry with its outcome, last change first; two of one second have reports of their own', async (t) => {
  const here = await sample(t);
  await here.sync();
  change(here, 'choices', isRoutine as never, { display: 'Edited' });
  await undo(here);
  await undo(here);
  const reports = here.files().filter((name) => /^patrol-datamodel-undo-\d{8}T\d{6}Z\.json$/.test(name));
  t.is(reports.length, 2);
  const report = undoReportSchema.parse(JSON.parse(here.read(reports[0] ?? '')));
  t.deepEqual(report.records, here.records());
  t.deepEqual(
    report.entries.map(({ entry }) => entry),
    Array.from({ length: 14 }, (_, i) => 13 - i),
  );
  t.is(report.entries.filter(({ outcome }) => outcome === 'left').length, 1);
  t.true(report.finished_at !== null);
});

test('a token that is not taken ends the undo; what was undone before is in the report', async (t) => {
  const here = await sample(t);
  await here.sync();
  here.site.faults.set({ fault: 'status', status: 401, method: 'PATCH', skip: 2 });
  const { code, json } = await undo(here, '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'site_unauthorized');
  const name = here.files().find((each) => each.includes('-undo-')) ?? '';
  t.is(undoReportSchema.parse(JSON.parse(here.read(name))).entries.length, 3);
});

test('an object that a record names twice is compared with what is there after its later entry was undone', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ fault: 'status', status: 403, path: 'subjectgroup/*', method: 'POST', count: 1 });
  await here.sync();
  change(here, 'subjects', isFirst as never, { name: 'Edited' });
  t.is((await here.run('resume', here.recordPath(), ...here.onSite)).code, 0);
  t.is(here.changes().filter(({ kind }) => kind === 'subject').length, 4);
  const { out } = await undo(here);
  t.regex(out, /^left: subject "Edited": name is/m);
  t.like(rowOf(here, 'subjects', isFirst), { name: 'Edited', is_active: true });
});

test('an undo ends with 0 when all is undone, also when it was before, and counts what was apart', async (t) => {
  const here = await sample(t);
  await here.sync();
  const first = await undo(here);
  t.is(first.code, 0);
  t.regex(first.out, /^14 undone, 0 left, 0 failed$/m);
  t.is(first.out.match(/^undone: /gm)?.length, 14);
  t.is(first.err, '');
  const second = await undo(here);
  t.is(second.code, 0);
  t.regex(second.out, /^0 undone, 14 were already, 0 left, 0 failed$/m);
  const { json } = await undo(here, '--output', 'json');
  t.like(json(), { ok: true, undone: 0, already: 14, left: 0, failed: 0 });
});

for (const dry of [false, true])
  test(`${dry ? 'a dry run of an undo' : 'an undo'} that leaves entries ends with 3 and says so, one that cannot reach an entry with 1`, async (t) => {
    const here = await sample(t);
    await here.sync();
    const [choice] = here.site.state().choices;
    here.site.edit('choices', choice?.id ?? '', { display: 'Of an admin' });
    const call = [...(dry ? ['--dry-run'] : []), 'undo', here.recordPath(), ...here.onSite, '--output', 'json'];
    const left = await here.run(...call);
    t.is(left.code, 3);
    t.like(left.json(), { ok: false, reason: 'entries_left', left: 1, failed: 0 });
    here.site.faults.set({ fault: 'status', status: 403, path: 'subjectgroup/*' });
    const failed = await here.run(...call);
    if (dry) t.is(failed.code, 1);
  });
