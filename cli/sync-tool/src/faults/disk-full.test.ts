import test, { type ExecutionContext } from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openHarness, runTool, type Harness } from '../test/harness.ts';
import { testShell, type TestShell } from '../test/shell.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

const full = (): Error =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });

/** A shell whose disk takes no content for files of these names, from a moment on. */
const fullFor = (names: RegExp, isFull: () => boolean = () => true): TestShell => {
  const shell = testShell();
  const { disk } = shell.machine;
  const open: typeof disk.open = async (path, flags) => {
    const file = await disk.open(path, flags);
    if (!names.test(path) || !isFull()) return file;
    const refused = { writeFile: () => Promise.reject(full()) };
    return new Proxy(file, {
      get: (target, member) => {
        const value: unknown = Reflect.get(refused, member) ?? Reflect.get(target, member);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return { ...shell, machine: { ...shell.machine, disk: { ...disk, open } } };
};

for (const [what, names] of [
  ['the record is finished', /run-\w+\.json\.\d+\.tmp$/],
  ['record and checklist are written', /run-\w+\.json\.\d+\.tmp$|checklist\.md/],
] as const)
  test(`a disk that is full when ${what} hides neither the table nor the command that goes on, which does`, async (t) => {
    const here = await sample(t);
    const { code, out } = await runTool(fullFor(names), ['patrol-datamodel', '--bundle', here.bundle, ...here.onSite]);
    t.is(code, 1);
    t.regex(out, /^Choices +7 +0 /m);
    t.regex(out, /The run record is not finished: .*no space left/);
    t.regex(out, /Finish it, once the cause is fixed: sync-tool resume \S+\.json/);
    t.is((await here.run('resume', here.recordPath(), ...here.onSite)).code, 0);
    t.is(here.record().status, 'complete');
    t.deepEqual(here.record().changes, []);
    t.regex((await here.run('undo', here.recordPath(), ...here.onSite)).out, /^14 undone, 0 left, 0 failed$/m);
    t.true(here.files().includes('checklist.md'));
  });

test('a disk that is full when the checklist is written shows its items instead, and the run has failed', async (t) => {
  const here = await sample(t);
  const call = ['patrol-datamodel', '--bundle', here.bundle, ...here.onSite];
  const { code, out } = await runTool(fullFor(/checklist\.md/), call);
  t.is(code, 1);
  t.regex(out, /\[ \] Create the team "Team Alpha"/);
  t.regex(out, /6 open; not written: .*checklist\.md cannot be written/);
  t.is(here.record().status, 'complete');
});

test('a disk that is full when an undo is over hides neither what was undone nor the command that goes on, which does', async (t) => {
  const here = await sample(t);
  await here.sync();
  const shell = fullFor(/patrol-datamodel-undo-/, () => here.site.state().types.length === 0);
  const { code, out } = await runTool(shell, ['undo', here.recordPath(), ...here.onSite]);
  t.is(code, 1);
  t.regex(out, /^14 undone, 0 left, 0 failed$/m);
  t.regex(out, /no space left.*Finish it; .*sync-tool undo \S+\.json/);
  const again = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(again.code, 0);
  t.regex(again.out, /^0 undone, 14 were already/m);
});
