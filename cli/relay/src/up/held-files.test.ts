import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryBus } from '@ranger-relay/bus/testing';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { identityOf } from '../data-dir/index.ts';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { refuseWhileLost, watchHeldFiles } from './held-files.ts';

const files = { vital: ['/data/bus.sqlite'], others: ['/data/kv.sqlite'] };

/** A watch of files whose identities are set by hand. */
const setUp = async () => {
  const clock = manualClock();
  const context = testContext({ clock });
  const identities = new Map([...files.vital, ...files.others].map((path, number) => [path, `1:${number}`]));
  const problem = await watchHeldFiles(context, files, async (path) => identities.get(path));
  const holds = (): boolean => context.conditions.find('file_replaced', '') !== undefined;
  return { clock, identities, problem, holds };
};

for (const [what, identity] of [
  ['removed or moved', undefined],
  ['replaced', '1:9'],
] as const)
  test(`a bus file that was ${what} under the process is seen within a second, and nothing more is accepted`, async (t) => {
    const { clock, identities, problem, holds } = await setUp();
    const guarded = refuseWhileLost(memoryBus(clock), problem);
    await guarded.publish('emergencies', [{ key: 'k', value: '{}' }]);
    if (identity === undefined) identities.delete('/data/bus.sqlite');
    else identities.set('/data/bus.sqlite', identity);
    await clock.advance(1_000);
    t.true(holds());
    t.regex(problem() ?? '', /bus\.sqlite was removed or replaced/);
    await t.throwsAsync(guarded.publish('emergencies', [{ key: 'k', value: '{}' }]), { message: /bus\.sqlite/ });
  });

test('a file that is put back is right again', async (t) => {
  const { clock, identities, problem, holds } = await setUp();
  identities.delete('/data/bus.sqlite');
  await clock.advance(1_000);
  identities.set('/data/bus.sqlite', '1:0');
  await clock.advance(1_000);
  t.false(holds());
  t.is(problem(), null);
});

test('a lost store is told, and events are accepted all the same', async (t) => {
  const { clock, identities, problem, holds } = await setUp();
  identities.delete('/data/kv.sqlite');
  await clock.advance(1_000);
  t.true(holds());
  t.is(problem(), null);
});

test('a file is known by its device and inode, not by its name', async (t) => {
  const path = join(await temporaryFolder(t), 'bus.sqlite');
  await writeFile(path, 'x');
  const before = await identityOf(path);
  await writeFile(path, 'more');
  t.is(await identityOf(path), before);
  await writeFile(`${path}.new`, 'x');
  await rename(`${path}.new`, path);
  t.not(await identityOf(path), before);
  await rm(path);
  t.is(await identityOf(path), undefined);
});
