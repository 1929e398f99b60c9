import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { isLocked } from './lock.ts';
import { markerPath, readMarker, writeMarker } from './marker.ts';
import { openDataDir } from './open.ts';
import { temporaryFolder } from './test/folder.ts';
import { holdInChild, killNow } from './test/hold.ts';

/** A directory that a process with this number works on. */
const hold = (folder: string, pid: number) =>
  openDataDir(folder, { clock: manualClock(), random: seededRandom(pid), pid });
const pidIn = async (folder: string): Promise<number | undefined> => (await readMarker(folder))?.owner?.pid;

const refusal = async (t: ExecutionContext, folder: string) => {
  const error = await t.throwsAsync(hold(folder, 1));
  if (!isRelayError(error, 'data_dir_in_use')) return t.fail(`not a refusal: ${String(error)}`);
  return error;
};

test('a second process is refused with the number of the first, and gets in once that has been killed', async (t) => {
  const folder = await temporaryFolder(t);
  const child = await holdInChild(t, folder);
  const error = await refusal(t, folder);
  t.deepEqual(error?.details, { path: folder, pid: child.pid as number });
  t.regex(error?.message ?? '', new RegExp(`in use by the process ${child.pid};`));
  await killNow(child);
  t.is(await pidIn(folder), child.pid, 'the killed one cleaned nothing up');
  const lock = await hold(folder, process.pid);
  t.is(await pidIn(folder), process.pid);
  await lock.release();
});

test('whether a directory is locked can be asked beside its process, however that ends', async (t) => {
  const folder = await temporaryFolder(t);
  t.false(isLocked(folder));
  const child = await holdInChild(t, folder);
  t.true(isLocked(folder));
  t.true(isLocked(folder), 'asking ends no lock');
  await killNow(child);
  t.false(isLocked(folder));
});

test('a process that ends in order lets the next one in', async (t) => {
  const folder = await temporaryFolder(t);
  const child = await holdInChild(t, folder);
  const ended = once(child, 'exit');
  child.stdin?.end();
  t.deepEqual(await ended, [0, null]);
  t.is(await pidIn(folder), undefined);
  await (await hold(folder, 1)).release();
});

test('a number left behind that belongs to a living process again does not keep anyone out', async (t) => {
  const folder = await temporaryFolder(t);
  const past = await hold(folder, process.pid);
  await past.record({});
  const left = past.marker();
  await past.release();
  await writeMarker(folder, left);
  t.is(await pidIn(folder), process.pid);
  const lock = await hold(folder, 4711);
  t.is(await pidIn(folder), 4711);
  await lock.release();
});

test('the same process is refused too', async (t) => {
  const folder = await temporaryFolder(t);
  const lock = await hold(folder, 4711);
  t.is((await refusal(t, folder))?.details['pid'], 4711);
  t.is((await refusal(t, folder))?.details['pid'], 4711, 'a refused try does not end the lock');
  await lock.release();
  const next = await hold(folder, 4712);
  await lock.release();
  t.is((await refusal(t, folder))?.details['pid'], 4712, 'a second release ends no other lock');
  await next.release();
});

test('without a number the refusal says that it does not know it', async (t) => {
  const folder = await temporaryFolder(t);
  const lock = await hold(folder, 4711);
  await writeFile(markerPath(folder), 'no owner');
  t.regex((await refusal(t, folder))?.message ?? '', /process of unknown number;/);
  await lock.release();
});

test('a lock file that is something else is unusable, not in use', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'lock.sqlite'), 'x'.repeat(5_000));
  const error = await t.throwsAsync(hold(folder, 1), { message: /lock\.sqlite intact/ });
  t.true(isRelayError(error, 'data_dir_unusable'));
});

for (const [what, lose] of [
  ['removed', (path: string) => rm(path)],
  ['replaced', (path: string) => rename(path, `${path}.old`).then(() => writeFile(path, ''))],
] as const)
  test(`a lock that was ${what} under its process lets no second one in: the bus itself is locked`, async (t) => {
    const folder = await temporaryFolder(t);
    const child = await holdInChild(t, folder, 'stores');
    await lose(join(folder, 'lock.sqlite'));
    for (let time = 0; time < 2; time += 1)
      t.deepEqual((await refusal(t, folder))?.details, { path: folder, pid: child.pid as number });
    await killNow(child);
    await (await hold(folder, 1)).release();
  });
