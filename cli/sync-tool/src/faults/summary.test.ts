import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { syncSummarySchema, type SyncSummary } from '@ranger-relay/contracts';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { employee, id, writeTestBundle, type TestBundle } from '../test/bundle.ts';
import { openFront } from '../test/front.ts';
import { testShell } from '../test/shell.ts';
import { openHarness, runTool, type Call, type Harness } from '../test/harness.ts';

interface Summarised extends Harness {
  /** Runs the tool and reads the summary that it leaves. */
  summary(...args: readonly string[]): Promise<SyncSummary & { readonly call: Call }>;
  readonly path: string;
}

const summarised = (here: Harness): Summarised => {
  const path = join(here.folder, 'end.json');
  return {
    ...here,
    path,
    async summary(...args) {
      writeFileSync(path, '');
      const call = await here.run('--summary-file', path, ...args);
      const text = readFileSync(path, 'utf8');
      t4096(text);
      return { ...syncSummarySchema.parse(JSON.parse(text)), call };
    },
  };
};

const t4096 = (text: string): void => {
  if (Buffer.byteLength(text) > 4_096) throw new Error(`the summary has ${Buffer.byteLength(text)} bytes`);
};

const sample = async (t: ExecutionContext): Promise<Summarised> =>
  summarised(await openHarness(t, (folder) => writeContractSample(folder)));

const runArgs = ({ bundle, onSite }: Harness): readonly string[] => ['patrol-datamodel', '--bundle', bundle, ...onSite];

test('a run leaves how it ended, the plan’s hash, its counts, its files and what is open', async (t) => {
  const here = await sample(t);
  const ended = await here.summary(...runArgs(here));
  t.like(ended, {
    command: 'patrol-datamodel',
    dry_run: false,
    outcome: 'done',
    exit: 0,
    reason: null,
    message: null,
    site: new URL(here.site.url).host,
    counts: { created: 16, updated: 0, deactivated: 0, failed: 0 },
    people_deactivated: 0,
    checklist: 'checklist.md',
    report: null,
  });
  t.is(ended.plan_hash, here.record().plan_hash);
  t.is(ended.bundle, here.record().bundle.sha256);
  t.deepEqual([ended.record], here.records());
  t.is(ended.steps?.subjects?.created, 3);
  t.is(ended.open.items.length, 6);
  t.is(ended.open.left_out, 0);
  t.true(ended.open.items.some(({ text }) => text.includes('Team Alpha')));
});

test('a second run, a dry run and a look at the site say so', async (t) => {
  const here = await sample(t);
  const dry = await here.summary('--dry-run', ...runArgs(here), '--plan-out', join(here.folder, 'plan.json'));
  t.like(dry, { dry_run: true, exit: 0, record: null, plan: 'plan.json' });
  t.is(dry.steps?.subjects?.created, 3);
  // Nobody joins the roster in a dry run, and that they would is a change all the same.
  t.like(dry.counts, { created: 13, differences: 14 });
  const verify = ['verify', '--bundle', here.bundle, ...here.onSite];
  t.like(await here.summary(...verify), {
    bundle: dry.bundle,
    outcome: 'failed',
    reason: 'site_differs',
    counts: { differences: 14 },
  });
  const first = await here.summary(...runArgs(here));
  t.is(first.plan_hash, dry.plan_hash);
  t.like(await here.summary(...runArgs(here)), { exit: 0, record: null, counts: { created: 0, failed: 0 } });
  t.like(await here.summary(...verify), { outcome: 'done', reason: null, counts: { differences: 0 } });
  t.like(await here.summary('doctor', ...here.onSite), { command: 'doctor', exit: 0, people_deactivated: null });
});

test('apply, undo and resume name the plan, the record and the report', async (t) => {
  const here = await sample(t);
  const plan = join(here.folder, 'plan.json');
  await here.dry('--plan-out', plan);
  const applied = await here.summary('apply', '--plan', plan, ...here.onSite);
  t.like(applied, { command: 'apply', exit: 0, plan: 'plan.json', record: here.records()[0], people_deactivated: 0 });
  t.is(applied.counts.already_there, 0);
  const record = here.recordPath();
  const resumed = await here.summary('resume', record, ...here.onSite);
  t.like(resumed, { command: 'resume', exit: 0, record: here.records()[0], plan_hash: applied.plan_hash });
  const undone = await here.summary('undo', record, ...here.onSite);
  t.like(undone, { exit: 0, record: here.records()[0], counts: { undone: 14, already_there: 0, left: 0, failed: 0 } });
  t.true(here.files().includes(undone.report ?? ''));
});

test('an undo says what it left and why, without the names of people', async (t) => {
  const here = await sample(t);
  await here.sync();
  const subjects = here.site
    .state()
    .subjects.map(({ name, ...rest }) => Object.assign(rest, { name: `Renamed ${name}` }));
  here.site.seed({ subjects });
  const ended = await here.summary('undo', here.recordPath(), ...here.onSite);
  t.like(ended, { outcome: 'done', exit: 3, reason: 'entries_left' });
  t.true((ended.counts.left ?? 0) > 0);
  t.is(ended.problems.items.length, 1);
  t.regex(ended.problems.items[0] ?? '', /^\d × left: Subjects: changed since the run; --force subject/);
  const { call: _, ...said } = ended;
  t.false(JSON.stringify(said).includes('Ranger One'));
});

test('a step that is refused is named with its code, and what was written has its record', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ fault: 'status', status: 403, method: 'POST', path: 'subjects/' });
  const ended = await here.summary(...runArgs(here));
  t.like(ended, { outcome: 'failed', exit: 1, reason: 'step_failed', record: here.records()[0] });
  t.deepEqual(ended.failures, [{ step: 'subjects', reason: 'site_forbidden' }]);
  t.regex(ended.message ?? '', /no permission/);
  t.true(ended.open.items.some(({ text }) => text.startsWith('Let the token do the step')));
});

test('a bundle that is not valid has its problems in it, and those left out are counted', async (t) => {
  const here = await sample(t);
  writeFileSync(join(here.bundle, 'stations.jsonl'), 'x\n'.repeat(50));
  const ended = await here.summary(...runArgs(here));
  t.like(ended, { exit: 1, reason: 'bundle_invalid', record: null, checklist: null });
  t.regex(ended.problems.items[0] ?? '', /^stations\.jsonl:1: /);
  t.true(ended.problems.left_out > 0);
});

test('too many deactivations stop with the hash of the plan that was not carried out', async (t) => {
  const employees = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7'].map((pair) => employee(pair));
  const bundle: TestBundle = { employees };
  const here = summarised(await openHarness(t, (folder) => writeTestBundle(folder, bundle)));
  await here.sync();
  await writeTestBundle(here.bundle, { employees: [] });
  const stopped = await here.summary(...runArgs(here));
  t.like(stopped, { exit: 1, reason: 'too_many_deactivations', record: null });
  t.regex(stopped.plan_hash ?? '', /^[0-9a-f]{64}$/);
  const allowed = await here.summary(...runArgs(here), '--max-deactivations', '7');
  t.like(allowed, { exit: 0, people_deactivated: 7, plan_hash: stopped.plan_hash });
});

for (const [what, args] of [
  ['no command', []],
  ['an unknown option', ['patrol-datamodel', '--unknown']],
  ['a value that is none', ['patrol-datamodel', '--max-deactivations', 'many']],
  ['an unknown command', ['nothing']],
  ['nothing that is needed', ['apply']],
] as const)
  test(`a call that was wrong says so: ${what}`, async (t) => {
    const here = await sample(t);
    t.like(await here.summary(...args), { command: null, outcome: 'usage', exit: 2, reason: 'usage' });
  });

test('a call without site says which option is missing', async (t) => {
  const here = await sample(t);
  const ended = await here.summary('verify', '--bundle', here.bundle);
  t.like(ended, { command: 'verify', outcome: 'usage', exit: 2, reason: 'usage' });
  t.regex(ended.message ?? '', /--site-endpoint/);
});

test('help is no end that anybody has to hear of', async (t) => {
  const here = await sample(t);
  for (const args of [['--help'], ['undo', '--help'], ['--version']])
    await here.run('--summary-file', here.path, ...args);
  t.false(here.files().includes('end.json'));
});

test('an interrupted run says how it is finished', async (t) => {
  const here = await sample(t);
  const shell = testShell({ SUMMARY_FILE: here.path });
  const front = await openFront(t, here.site, ({ method, path }) => {
    if (method === 'POST' && path === 'choices/') shell.interrupt();
  });
  t.is((await runTool(shell, [...runArgs(here), '--site-endpoint', front])).code, 130);
  const ended = syncSummarySchema.parse(JSON.parse(here.read('end.json')));
  t.like(ended, { outcome: 'interrupted', exit: 130, reason: 'interrupted', record: here.records()[0] });
  t.regex(ended.message ?? '', /sync-tool resume .*patrol-datamodel-run-/);
  const resumed = await here.summary('resume', here.recordPath(), ...here.onSite, '--site-endpoint', front);
  t.like(resumed, { command: 'resume', exit: 0, record: here.records().toSorted()[1], plan_hash: resumed.plan_hash });
});

test('a run that breaks off in a way nobody foresaw still names its record', async (t) => {
  const here = await sample(t);
  const front = await openFront(t, here.site, ({ method, path }) => {
    if (method !== 'POST' || !path.startsWith('subjectgroup/')) return;
    const journal = here.files().find((name) => name.endsWith('.jsonl')) ?? '';
    renameSync(join(here.folder, journal), join(here.folder, 'gone'));
  });
  const ended = await here.summary(...runArgs(here), '--site-endpoint', front);
  t.like(ended, { exit: 1, reason: 'internal', record: here.records()[0] });
  t.regex(ended.plan_hash ?? '', /^[0-9a-f]{64}$/);
});

test('the option beats the variable; an empty variable asks for nothing', async (t) => {
  const here = await sample(t);
  const other = join(here.folder, 'other.json');
  const doctor = ['doctor', ...here.onSite];
  await runTool(testShell({ SUMMARY_FILE: other }), [...doctor, '--summary-file', here.path]);
  t.true(here.files().includes('end.json'));
  t.false(here.files().includes('other.json'));
  await runTool(testShell({ SUMMARY_FILE: other }), doctor);
  t.true(here.files().includes('other.json'));
  t.is((await runTool(testShell({ SUMMARY_FILE: '' }), doctor)).code, 0);
});

test('a summary that cannot be written is said once and changes nothing else', async (t) => {
  const here = await sample(t);
  mkdirSync(here.path);
  for (const [args, code] of [
    [['doctor', ...here.onSite], 0],
    [runArgs(here), 0],
    [['apply'], 2],
    [['verify', '--bundle', '/nowhere', ...here.onSite], 1],
  ] as const) {
    const call = await here.run('--summary-file', here.path, ...args);
    t.is(call.code, code);
    t.is(call.err.split('The summary was not written').length, 2);
  }
});

test('it is written into the file that is there, which may be a mounted one, and takes its place wholly', async (t) => {
  const here = await sample(t);
  writeFileSync(here.path, 'x'.repeat(10_000));
  const { ino } = statSync(here.path);
  await here.run('--summary-file', here.path, 'doctor', ...here.onSite);
  t.is(statSync(here.path).ino, ino);
  t.notThrows(() => syncSummarySchema.parse(JSON.parse(here.read('end.json'))));
});

test('a checklist of hundreds of items is cut to fit, and those left out are counted', async (t) => {
  const teams = Array.from({ length: 400 }, (_, i) => ({
    uuid: i.toString(16).padStart(4, '0').repeat(8),
    key: `t${i}`,
    mandate_uuid: null,
    is_active: true,
    names: { en: `Équipe de la réserve ${i}` },
  })).filter(({ uuid }) => uuid !== id('00'));
  const here = summarised(await openHarness(t, (folder) => writeTestBundle(folder, { teams })));
  const { open, plan_hash: hash } = await here.summary(...runArgs(here));
  t.true(open.items.length > 20);
  t.is(open.items.length + open.left_out, here.read('checklist.md').split('\n- [ ] ').length - 1);
  t.regex(hash ?? '', /^[0-9a-f]{64}$/);
});
