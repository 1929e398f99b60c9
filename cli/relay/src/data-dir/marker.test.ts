import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { statOf, storePaths } from './files.ts';
import { type Marker, readOrMakeMarker, writeFirstMarker, writeMarker } from './marker.ts';
import { temporaryFolder } from './test/folder.ts';

const harness = async (t: ExecutionContext) => {
  const folder = await temporaryFolder(t);
  const making = { clock: manualClock(Date.UTC(2026, 4, 17)), random: seededRandom(7) };
  const paths = storePaths(folder);
  const read = () => readOrMakeMarker(folder, paths, making);
  const store = (marker: Marker) => writeFirstMarker(folder, marker, making.clock);
  return { folder, paths, file: join(folder, 'store.json'), read, store };
};

test('the first marker says that there is no bus and no store yet, and reading it stores nothing', async (t) => {
  const { read, store, file, folder } = await harness(t);
  const { marker, warnings, found } = await read();
  t.is(found, 'missing');
  t.deepEqual(await readdir(folder), []);
  await store(marker);
  t.like(marker, { version: 1, created_at: '2026-05-17T00:00:00.000Z', bus_since: null, kv_since: null });
  t.deepEqual(warnings, []);
  t.deepEqual(JSON.parse(await readFile(file, 'utf8')), marker);
});

test('a marker is the same when it is read again, whatever was recorded in it', async (t) => {
  const { read, folder } = await harness(t);
  const { marker } = await read();
  const recorded: Marker = { ...marker, bus_since: '2026-05-18T00:00:00.000Z' };
  await writeMarker(folder, recorded);
  t.deepEqual(await read(), { marker: recorded, warnings: [], found: 'stored' });
});

test('two directories have different instance ids', async (t) => {
  const first = await temporaryFolder(t);
  const second = await temporaryFolder(t);
  const making = { clock: manualClock(), random: seededRandom(7) };
  const ids = await Promise.all(
    [first, second].map(async (folder) => (await readOrMakeMarker(folder, storePaths(folder), making)).marker),
  );
  t.not(ids[0]?.instance_id, ids[1]?.instance_id);
});

test('where the marker is lost beside a bus, the directory has had a bus', async (t) => {
  const { read, paths } = await harness(t);
  await writeFile(paths.bus, 'anything');
  const { marker, warnings } = await read();
  t.is(marker.bus_since, (await statOf(paths.bus))?.changedAt ?? 'never');
  t.is(marker.kv_since, null);
  t.regex(warnings.join(), /store\.json was missing/);
});

test('where marker and bus are lost beside a store, the directory has had a bus', async (t) => {
  const { read, paths } = await harness(t);
  await writeFile(paths.kv, 'anything');
  const { marker } = await read();
  const since = (await statOf(paths.kv))?.changedAt ?? 'never';
  t.is(marker.bus_since, since);
  t.is(marker.kv_since, since);
});

for (const [what, text] of [
  ['no JSON', '{"version":1,'],
  ['empty', ''],
  ['of another shape', '{"version":1,"instance_id":"no uuid"}'],
] as const)
  test(`a marker that is ${what} is kept aside, and the directory counts as used`, async (t) => {
    const { read, store, folder, file } = await harness(t);
    await writeFile(file, text);
    const { marker, warnings } = await read();
    await store(marker);
    t.not(marker.bus_since, null);
    t.not(marker.kv_since, null);
    t.regex(warnings.join(), /store\.json was unreadable; it was set aside/);
    t.is(await readFile(join(folder, 'store.json.damaged-2026-05-17T000000.000Z'), 'utf8'), text);
    t.deepEqual(await read(), { marker, warnings: [], found: 'stored' });
  });

test('a marker of a newer form is left alone and stops the start', async (t) => {
  const { read, folder, file } = await harness(t);
  await writeFile(file, '{"version":2,"more":true}');
  const error = await t.throwsAsync(read(), { message: /a newer ranger-relay wrote it/ });
  t.true(isRelayError(error, 'data_dir_unusable'));
  t.deepEqual(await readdir(folder), ['store.json']);
});
