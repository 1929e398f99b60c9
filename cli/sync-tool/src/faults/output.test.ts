import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

const refused = async (t: ExecutionContext, here: Harness, ...args: readonly string[]): Promise<void> => {
  const { code, json } = await here.sync('--output', 'json', ...args);
  t.is(code, 1);
  t.is(json()['reason'], 'output_not_writable');
  t.regex(String(json()['check']), /--checklist/);
  t.deepEqual(here.site.log.writes(), []);
};

test('a checklist below a regular file is refused before the first write, with the option that helps', async (t) => {
  const here = await sample(t);
  writeFileSync(join(here.folder, 'file'), '');
  await refused(t, here, '--checklist', join(here.folder, 'file', 'checklist.md'));
});

test('a checklist that is a folder is refused before the first write', async (t) => {
  const here = await sample(t);
  mkdirSync(join(here.folder, 'checklist.md'));
  await refused(t, here);
  t.regex(
    (await here.sync()).err,
    /checklist\.md cannot be written: it is a folder; name a file, as .*checklist\.md\n/,
  );
});

test('a read-only folder is refused before the first write, but for root, whom permissions do not bind', async (t) => {
  const here = await sample(t);
  const folder = join(here.folder, 'out');
  mkdirSync(folder, { mode: 0o555 });
  const checklist = join(folder, 'checklist.md');
  if (process.getuid?.() === 0) t.is((await here.sync('--checklist', checklist)).code, 0);
  else await refused(t, here, '--checklist', checklist);
});

test('a checklist that may not be written is refused before the first write, but for root', async (t) => {
  const here = await sample(t);
  const checklist = join(here.folder, 'checklist.md');
  writeFileSync(checklist, '', { mode: 0o444 });
  if (process.getuid?.() === 0) t.is((await here.sync()).code, 0);
  else await refused(t, here);
});

test('a plan that cannot be written is refused before the first write', async (t) => {
  const here = await sample(t);
  await refused(t, here, '--plan-out', join(here.folder, 'nowhere', 'plan.json'));
});

test('--checklist takes checklist and record to its folder, which is made', async (t) => {
  const here = await sample(t);
  const checklist = join(here.folder, 'out', 'list.md');
  const { code, json } = await here.sync('--checklist', checklist, '--output', 'json');
  t.is(code, 0);
  t.is((json()['checklist'] as { path: string }).path, checklist);
  t.true(String(json()['record']).startsWith(join(here.folder, 'out')));
  t.deepEqual(here.files(), ['out']);
});

test('two runs of one second have records of their own', async (t) => {
  const here = await sample(t);
  await here.sync();
  here.site.seed({ choices: [], subjects: [], types: [], form: null });
  await here.sync();
  const [one, other, ...more] = here.records();
  t.not(one, other);
  t.deepEqual(more, []);
});

test('a run that wrote nothing leaves the checklist alone', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ fault: 'status', status: 403, method: 'POST' });
  here.site.faults.set({ fault: 'status', status: 403, method: 'PUT' });
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.is(json()['record'], null);
  t.deepEqual(here.files(), ['checklist.md']);
});

test('--plan-out replaces a plan, and no other file', async (t) => {
  const here = await sample(t);
  const path = join(here.folder, 'sync.yaml');
  writeFileSync(path, 'ext:\n  timezone: UTC\n');
  await refused(t, here, '--plan-out', path);
  t.regex(here.read('sync.yaml'), /^ext:/);
  const plan = join(here.folder, 'plan.json');
  for (let times = 0; times < 2; times += 1) t.is((await here.dry('--plan-out', plan)).code, 0);
});
