import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { siteFaults } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { employee, writeTestBundle } from '../test/bundle.ts';
import { type Before, openFront, type FrontRequest } from '../test/front.ts';
import { openHarness, runTool, type Call, type Harness } from '../test/harness.ts';
import { testShell, virtualClock } from '../test/shell.ts';

/** A harness whose calls reach the site through a server that sees each request first. */
interface Watched extends Harness {
  watch(before: Before): void;
}

const watched = async (t: ExecutionContext, here: Harness): Promise<Watched> => {
  let watch: Before | undefined;
  const front = await openFront(t, here.site, (request) => watch?.(request));
  const endpoint = ['--site-endpoint', front];
  return {
    ...here,
    onSite: [...here.onSite, ...endpoint],
    sync: (...more) => here.sync(...endpoint, ...more),
    dry: (...more) => here.dry(...endpoint, ...more),
    watch: (before) => void (watch = before),
  };
};

const sample = async (t: ExecutionContext): Promise<Watched> =>
  watched(t, await openHarness(t, (folder) => writeContractSample(folder)));

const name = 'checklist.md';
const unfinished = /^A run began and has not come to its end \(record patrol-datamodel-run-\w+\.json\): finish it/m;
const dry = /A dry run: nothing was written/;

const isWrite = ({ method }: FrontRequest): boolean => method !== 'GET' && method !== 'OPTIONS';

const isChoice = ({ method, path }: FrontRequest): boolean => method === 'POST' && path === 'choices/';

/** A run that is interrupted when a choice is written. */
const interrupted = async (here: Watched, ...more: readonly string[]): Promise<Call> => {
  const shell = testShell();
  here.watch((request) => {
    if (isChoice(request)) shell.interrupt();
  });
  const call = await runTool(shell, ['patrol-datamodel', '--bundle', here.bundle, ...here.onSite, ...more]);
  here.watch(() => undefined);
  return call;
};

const verify = (here: Watched): Promise<Call> => here.run('verify', '--bundle', here.bundle, ...here.onSite);

const calls = {
  'a run': async () => ['patrol-datamodel'],
  'a run after a dry run': async (here: Watched) => {
    await here.dry();
    return ['patrol-datamodel'];
  },
  'an apply': async (here: Watched) => {
    const plan = join(here.folder, 'plan.json');
    await here.dry('--plan-out', plan);
    return ['apply', '--plan', plan];
  },
} as const;

for (const [what, prepare] of Object.entries(calls))
  test(`from before the first write of ${what} until its end, the checklist says that it has not come to its end, whatever kills it`, async (t) => {
    const here = await sample(t);
    const [command = '', ...args] = await prepare(here);
    const lists: string[] = [];
    here.watch((request) => {
      if (isWrite(request)) lists.push(here.read(name));
    });
    const bundle = command === 'apply' ? [] : ['--bundle', here.bundle];
    const { code, err } = await here.run(command, ...args, ...bundle, ...here.onSite);
    t.is(code, 0, err);
    t.is(lists.length, 14);
    for (const list of [lists[0] ?? '', lists.at(-1) ?? '']) {
      t.regex(list, unfinished);
      t.notRegex(list, dry);
    }
    t.regex(here.read(name), /^Import of the patrols: /m);
    t.notRegex(here.read(name), unfinished);
    t.notRegex(here.read(name), dry);
  });

test('the checklist of an interrupted run says so, beside the verdict of verify too, until resume has finished it', async (t) => {
  const here = await sample(t);
  t.is((await interrupted(here)).code, 130);
  t.regex(here.read(name), unfinished);
  await verify(here);
  t.regex(here.read(name), /^A run began and has not come to its end .* or undo it\. Import of the patrols: /m);
  t.is((await here.run('resume', here.recordPath(), ...here.onSite)).code, 0);
  t.notRegex(here.read(name), unfinished);
  const list = here.read(name);
  await verify(here);
  t.is(here.read(name), list);
});

test('the checklist of an apply without its bundle says that verify tells whether the patrols would import', async (t) => {
  const here = await sample(t);
  const plan = join(here.folder, 'plan.json');
  await here.dry('--plan-out', plan);
  renameSync(here.bundle, join(here.folder, 'elsewhere'));
  t.is((await here.run('apply', '--plan', plan, ...here.onSite)).code, 0);
  t.regex(here.read(name), /^Verify tells whether the patrols would import\. /m);
  t.notRegex(here.read(name), unfinished);
  t.notRegex(here.read(name), dry);
});

test('Ctrl-C after the plan and before the first write says that nothing was written', async (t) => {
  const here = await sample(t);
  const shell = testShell({ SUMMARY_FILE: join(here.folder, 'end.json') });
  const { disk } = shell.machine;
  const open: typeof disk.open = (path, flags) => {
    if (path.endsWith('.journal.jsonl')) shell.interrupt();
    return disk.open(path, flags);
  };
  const machine = { ...shell.machine, disk: { ...disk, open } };
  const call = ['patrol-datamodel', '--bundle', here.bundle, ...here.onSite];
  const { code, out } = await runTool({ ...shell, machine }, call);
  t.is(code, 130);
  t.deepEqual([here.records(), here.writes()], [[], []]);
  t.regex(out, /^Interrupted; nothing was written$/m);
  t.like(JSON.parse(here.read('end.json')), { outcome: 'interrupted', message: 'Interrupted; nothing was written' });
  t.notRegex(here.read(name), unfinished);
});

test('undo of a run that ended before it looked for the second subject of a repeated call leaves neither active', async (t) => {
  const clock = virtualClock();
  const employees = [employee('f1'), employee('f2')];
  const here = await watched(t, await openHarness(t, (folder) => writeTestBundle(folder, { employees }), { clock }));
  here.site.faults.set({ ...siteFaults.late(5_000), path: 'subjects/', method: 'POST', count: 1 });
  const shell = testShell({}, clock);
  let posts = 0;
  here.watch(({ method, path }) => {
    if (method === 'POST' && path === 'subjects/') posts += 1;
    if (posts === 3) shell.interrupt();
  });
  t.is((await runTool(shell, ['patrol-datamodel', '--bundle', here.bundle, ...here.onSite])).code, 130);
  await clock.sleep(10_000);
  const active = (): number => here.site.state().subjects.filter(({ is_active }) => is_active).length;
  t.is(active(), 3);
  const { code, out } = await runTool(testShell({}, clock), ['undo', here.recordPath(), ...here.onSite]);
  t.is(code, 0);
  t.is(active(), 0);
  t.regex(out, /^undone: subject "Ranger f1": .* \(with a second one of the same creation\)$/m);
});

test('an undo that ends at a failure of the site has said on the checklist that it took something back', async (t) => {
  const here = await sample(t);
  await here.sync();
  here.site.faults.set({ ...siteFaults.redirected('https://elsewhere.invalid/'), path: 'choices/*', method: 'PATCH' });
  t.is((await here.run('undo', here.recordPath(), ...here.onSite)).code, 1);
  t.regex(here.read(name), /^A run was undone at /m);
  t.notRegex(here.read(name), /^Import of the patrols: /m);
});

test('undo of a run that was killed before a write of it reached the site takes its line off the checklist', async (t) => {
  const here = await sample(t);
  const left = new Map<string, string>();
  here.watch((request) => {
    if (!isWrite(request) || left.size > 0) return;
    for (const file of here.files()) if (!file.startsWith('.')) left.set(file, here.read(file));
  });
  await here.sync();
  here.watch(() => undefined);
  const { code } = await here.run('undo', here.recordPath(), ...here.onSite, '--delete-subjects');
  t.is(code, 0);
  for (const [file, content] of left) writeFileSync(join(here.folder, file), content);
  t.regex(here.read(name), unfinished);
  const { out } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.regex(out, /^The run wrote nothing/m);
  t.notRegex(here.read(name), unfinished);
});

test('a run after one that did not finish, with its record in another folder of a plan, names that record', async (t) => {
  const here = await sample(t);
  const into = (number: number) => ['--checklist', join(here.folder, 'out', 'north', String(number), name)];
  await interrupted(here, ...into(1));
  const { code, err } = await here.sync(...into(2));
  t.is(code, 0, err);
  t.regex(
    err,
    /Warning: the run recorded in \S+north\/1\/\S+ did not finish, and has its record in another folder; .* both/,
  );
});
