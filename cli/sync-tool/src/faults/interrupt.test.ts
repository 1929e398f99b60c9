import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { siteFaults } from '@ranger-relay/simulators';
import { systemClock } from '@ranger-relay/runtime';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openFront, type FrontRequest } from '../test/front.ts';
import { writeTestBundle } from '../test/bundle.ts';
import { testShell, type TestShell } from '../test/shell.ts';
import { openHarness, runTool, type Harness } from '../test/harness.ts';

interface Interruptible extends Harness {
  readonly shell: TestShell;
  readonly front: string;
  /** The same call as `sync`, on the shell that is interrupted. */
  readonly args: readonly string[];
}

/** A world whose shell is interrupted when a request comes to the site. */
const harness = async (t: ExecutionContext, at: (request: FrontRequest) => boolean): Promise<Interruptible> => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  const shell = testShell();
  const front = await openFront(t, here.site, (request) => {
    if (at(request)) shell.interrupt();
  });
  const onSite = [...here.onSite, '--site-endpoint', front];
  return { ...here, onSite, shell, front, args: ['patrol-datamodel', '--bundle', here.bundle, ...onSite] };
};

const posts =
  (path: string) =>
  (request: FrontRequest): boolean =>
    request.method === 'POST' && request.path === path;

for (const path of ['activity/patrols/types/', 'choices/', 'subjects/'])
  test(`Ctrl-C at a write to ${path} finishes and records what is in flight, begins nothing else, and says how to go on`, async (t) => {
    const here = await harness(t, posts(path));
    const { code, out } = await runTool(here.shell, here.args);
    t.is(code, 130);
    t.true(out.includes(`sync-tool resume ${here.recordPath()}`));
    const writes = here.site.log.writes();
    t.true(writes.every(({ handled }) => handled !== null));
    const record = here.record();
    t.is(record.status, 'interrupted');
    t.is(record.changes.length, writes.length);
    t.true(record.changes.every((change) => !('id' in change) || Boolean(change.id)));
    const resumed = await here.run('resume', here.recordPath(), ...here.onSite);
    t.is(resumed.code, 0, resumed.err);
    t.is(here.record().status, 'complete');
    t.is(here.changes().length, 14);
    t.is(here.site.log.writes().length, 14);
    const undone = await here.run('undo', here.recordPath(), ...here.onSite);
    t.regex(undone.out, /^14 undone, 0 left, 0 failed$/m);
  });

test('a run after one that did not finish finishes it, and an undo takes back both', async (t) => {
  const here = await harness(t, posts('choices/'));
  const first = await runTool({ ...here.shell, env: { npm_command: 'exec' } }, here.args);
  t.true(first.out.includes(`npx sync-tool resume ${here.recordPath()}`));
  const [unfinished = ''] = here.records();
  const second = await runTool(testShell(), here.args);
  t.is(second.code, 0);
  t.regex(second.out, new RegExp(`^Run record: \\S+, which goes on with ${unfinished}: an undo takes back both$`, 'm'));
  const again = await runTool(testShell(), here.args);
  t.is(again.code, 0);
  t.is(here.records().length, 2);
  const { code, out, err } = await here.run('undo', here.folder, ...here.onSite);
  t.is(code, 0);
  t.regex(out, /^14 undone, 0 left, 0 failed$/m);
  t.regex(out, new RegExp(`^Records: \\S+, ${unfinished}$`, 'm'));
  t.notRegex(err, /did not finish/);
  t.regex((await here.run('undo', here.folder, ...here.onSite)).out, /^0 undone, 14 were already/m);
});

test('a run of another bundle after one that did not finish names the record of that one', async (t) => {
  const here = await harness(t, posts('choices/'));
  await runTool(here.shell, here.args);
  const [unfinished = ''] = here.records();
  await writeTestBundle(here.bundle);
  const { code, err } = await runTool(testShell(), [...here.args, '--max-deactivations', '9']);
  t.is(code, 0, err);
  t.regex(err, new RegExp(`Warning: the run recorded in \\S+${unfinished} did not finish, .* undo both records`));
  t.is(here.record().continues, undefined);
});

test('Ctrl-C has its reason in --output json, with the record', async (t) => {
  const here = await harness(t, posts('choices/'));
  const { code, json } = await runTool(here.shell, [...here.args, '--output', 'json']);
  t.is(code, 130);
  t.like(json(), { ok: false, reason: 'interrupted', record: here.recordPath(), failures: [] });
});

test('Ctrl-C while the site is read writes nothing and ends with 130', async (t) => {
  const here = await harness(t, ({ path }) => path === 'choices/');
  const { code, json } = await runTool(here.shell, [...here.args, '--output', 'json']);
  t.is(code, 130);
  t.like(json(), { ok: false, reason: 'interrupted' });
  t.deepEqual(here.site.log.writes(), []);
  t.deepEqual(here.records(), []);
});

test('Ctrl-C during a wait for a throttled site ends the wait; what was not carried out is not in the record', async (t) => {
  const here = await harness(t, () => false);
  here.site.faults.set({ ...siteFaults.throttled(3_600), path: 'choices/', method: 'POST' });
  const shell: TestShell = { ...here.shell, clock: systemClock };
  const done = runTool(shell, here.args);
  await told(shell, /trying again in/);
  here.shell.interrupt();
  t.is((await done).code, 130);
  t.is(here.record().changes.length, 3);
  here.site.faults.clear();
  t.is((await here.run('resume', here.recordPath(), ...here.onSite)).code, 0);
  t.is(here.site.state().choices.length, 7);
});

/** Resolves when the shell has told something on standard error. */
const told = async ({ errors }: TestShell, what: RegExp): Promise<void> => {
  while (!errors.some((line) => what.test(line))) await new Promise((resolve) => setImmediate(resolve));
};

test('a lost answer during which somebody interrupts stays open in the record; resume makes nobody twice', async (t) => {
  const here = await harness(t, posts('subjects/'));
  here.site.faults.set({ ...siteFaults.cut('after'), path: 'subjects/', method: 'POST', count: 1 });
  t.is((await runTool(here.shell, here.args)).code, 130);
  t.is(here.site.state().subjects.length, 1);
  t.is(here.record().changes.filter(({ kind }) => kind === 'subject').length, 1);
  t.is((await here.run('resume', here.recordPath(), ...here.onSite)).code, 0);
  t.is(here.site.state().subjects.length, 3);
  t.is(here.changes().length, 14);
  await here.run('undo', here.recordPath(), ...here.onSite);
  t.true(here.site.state().subjects.every(({ is_active }) => !is_active));
});

test('Ctrl-C during an undo leaves an unfinished report; the same call again finishes it', async (t) => {
  const here = await harness(t, ({ method }) => method === 'DELETE');
  await here.run('patrol-datamodel', '--bundle', here.bundle, ...here.onSite);
  const undo = ['undo', here.recordPath(), ...here.onSite];
  const { code, out } = await runTool(here.shell, undo);
  t.is(code, 130);
  t.true(out.includes(`sync-tool undo ${here.recordPath()} --site-endpoint ${here.front}`));
  const report = JSON.parse(here.read(here.files().find((name) => name.includes('-undo-')) ?? '')) as {
    finished_at: unknown;
    entries: unknown[];
  };
  t.is(report.finished_at, null);
  t.is(report.entries.length, 1);
  t.is((await here.run(...undo)).code, 0);
  t.deepEqual(here.site.state().types, []);
});

test('Ctrl-C during an apply says how to go on; the same call again writes only the rest too', async (t) => {
  const here = await harness(t, posts('subjects/'));
  const plan = join(here.folder, 'plan.json');
  await here.run('--dry-run', 'patrol-datamodel', '--bundle', here.bundle, ...here.onSite, '--plan-out', plan);
  const call = ['apply', '--plan', plan, ...here.onSite];
  const { code, out } = await runTool(here.shell, call);
  t.is(code, 130);
  t.true(out.includes(`sync-tool resume ${here.recordPath()} --site-endpoint ${here.front}`));
  t.is((await here.run(...call)).code, 0);
  t.is(here.site.log.writes().length, 14);
  t.is(here.site.state().subjects.length, 3);
});
