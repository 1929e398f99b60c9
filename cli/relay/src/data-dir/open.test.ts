import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { openDataDir } from './open.ts';
import { runningOn } from './lock.ts';
import { readMarker } from './marker.ts';
import { temporaryFolder } from './test/folder.ts';
import { holdInChild, killNow } from './test/hold.ts';

const options = () => ({ clock: manualClock(), random: seededRandom(3) });

const unusable = async (t: ExecutionContext, path: string, message: RegExp): Promise<void> => {
  const error = await t.throwsAsync(openDataDir(path, options()), { message });
  t.true(isRelayError(error, 'data_dir_unusable'), String(error));
};

test('a missing directory is created, with its parents, for its owner alone', async (t) => {
  const path = join(await temporaryFolder(t), 'deep', 'data');
  const dir = await openDataDir(path, options());
  t.is(dir.path, path);
  t.is((await stat(path)).mode % 0o1000, 0o700);
  t.deepEqual(dir.paths, { bus: join(path, 'bus.sqlite'), kv: join(path, 'kv.sqlite') });
  t.deepEqual(dir.warnings, []);
  await dir.release();
});

test('a place where nothing can be created is refused, not tried without end', async (t) => {
  await unusable(t, '/proc/nowhere/data', /it cannot be created \(ENOENT\)/);
});

test('a relative path becomes absolute', async (t) => {
  const path = await temporaryFolder(t);
  const dir = await openDataDir(relative(process.cwd(), path), options());
  t.is(dir.path, path);
  await dir.release();
});

test('the instance id and what is recorded survive', async (t) => {
  const path = await temporaryFolder(t);
  const first = await openDataDir(path, options());
  await first.record({ bus_since: '2026-02-03T04:05:06.000Z' });
  t.is(first.marker().bus_since, '2026-02-03T04:05:06.000Z');
  await first.release();
  const second = await openDataDir(path, { ...options(), random: seededRandom(4) });
  t.is(second.instanceId, first.instanceId);
  t.deepEqual({ ...second.marker(), owner: null }, { ...first.marker(), owner: null });
  await second.release();
});

test('its secrets are kept', async (t) => {
  const path = await temporaryFolder(t);
  const dir = await openDataDir(path, options());
  const secret = await dir.readOrCreateSecret('token');
  t.is(await readFile(join(path, 'secrets', 'token'), 'utf8'), `${secret}\n`);
  await dir.release();
});

test('a directory that another process works on is refused, and is free after kill -9', async (t) => {
  const path = await temporaryFolder(t);
  const child = await holdInChild(t, path);
  const error = await t.throwsAsync(openDataDir(path, options()));
  t.true(isRelayError(error, 'data_dir_in_use') && error.details['pid'] === child.pid);
  await killNow(child);
  await (await openDataDir(path, options())).release();
});

test('a file in its place is unusable', async (t) => {
  const path = join(await temporaryFolder(t), 'data');
  await writeFile(path, 'a file');
  await unusable(t, path, /it is a file, not a directory/);
});

test('a place below a file is unusable', async (t) => {
  const path = join(await temporaryFolder(t), 'data');
  await writeFile(path, 'a file');
  await unusable(t, join(path, 'below'), /it cannot be created \(ENOTDIR\)/);
});

// The kernel's own file system refuses new files to everybody, also to the superuser whom permissions do not stop.
test('a place where nothing can be created is unusable', (t) => unusable(t, '/sys/relay-data', /cannot be created/));

test('a directory that cannot be written to is unusable', (t) => unusable(t, '/sys/kernel', /it cannot be locked/));

test('what fails behind the lock is unusable with its cause, and gives the lock back', async (t) => {
  const path = await temporaryFolder(t);
  await mkdir(join(path, 'store.json'));
  await unusable(t, path, /read failed with EISDIR/);
  await unusable(t, path, /read failed with EISDIR/);
});

test('when the marker cannot be written the lock is given back', async (t) => {
  const path = await temporaryFolder(t);
  await mkdir(join(path, '.store.json.new'));
  await unusable(t, path, /rm failed with ERR_FS_EISDIR/);
  await unusable(t, path, /rm failed with ERR_FS_EISDIR/);
});

test('a secret that cannot be kept is an unusable directory', async (t) => {
  const path = await temporaryFolder(t);
  await writeFile(join(path, 'secrets'), 'in the way');
  const dir = await openDataDir(path, options());
  const error = await t.throwsAsync(dir.readOrCreateSecret('token'), { message: /mkdir failed with EEXIST/ });
  t.true(isRelayError(error, 'data_dir_unusable'));
  await dir.release();
});

test('a released directory can be opened again in the same process', async (t) => {
  const path = await temporaryFolder(t);
  const first = await openDataDir(path, options());
  const error = await t.throwsAsync(openDataDir(path, options()));
  t.true(isRelayError(error, 'data_dir_in_use'));
  await first.release();
  await first.release();
  await (await openDataDir(path, options())).release();
});

test('a directory that is discarded leaves no trace, and one that was used before or has been since stays', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'deep', 'data');
  await (await openDataDir(path, options())).discard();
  t.deepEqual(await readdir(folder), []);
  const used = await openDataDir(path, options());
  await used.record({ platform: 'real' });
  await used.discard();
  const again = await openDataDir(path, options());
  t.is(again.marker().platform, 'real');
  await again.discard();
  t.true((await readdir(path)).includes('store.json'));
});

test('the owner of a directory is found there with its addresses while it runs, and nobody after it was killed', async (t) => {
  const path = await temporaryFolder(t);
  t.is(await runningOn(path), undefined);
  const child = await holdInChild(t, path);
  t.like((await runningOn(path))?.owner, { pid: child.pid, addresses: null });
  await killNow(child);
  t.is(await runningOn(path), undefined);
});

test('what the owner announces is what commands read', async (t) => {
  const path = await temporaryFolder(t);
  const dir = await openDataDir(path, options());
  const here = 'http://127.0.0.1:1';
  const addresses = { status: here, ingester: here, forwarder: here, pusher: null, runner: null };
  await dir.announce(addresses);
  t.like((await readMarker(path))?.owner, { id: dir.runId, pid: process.pid, addresses });
  await dir.release();
  t.is((await readMarker(path))?.owner, null);
});
