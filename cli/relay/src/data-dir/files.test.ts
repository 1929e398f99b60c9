import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { statOf, setAside, writeAtomically } from './files.ts';
import { temporaryFolder } from './test/folder.ts';

const clock = manualClock(Date.UTC(2026, 4, 17, 8, 30, 5, 250));
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode % 0o1000;

test('writing replaces the whole text, for the owner alone, and leaves nothing else behind', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'a');
  await writeAtomically(path, 'a long first text');
  await writeAtomically(path, 'second');
  t.is(await readFile(path, 'utf8'), 'second');
  t.is(await modeOf(path), 0o600);
  t.deepEqual(await readdir(folder), ['a']);
});

test('writing goes on over what a crash left half written', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, '.a.new'), 'half', { mode: 0o644 });
  await writeAtomically(join(folder, 'a'), 'whole');
  t.deepEqual(await readdir(folder), ['a']);
  t.is(await modeOf(join(folder, 'a')), 0o600);
});

test('a look at a file gives size and time, at nothing undefined, at anything else an error', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'a'), '12345');
  const look = await statOf(join(folder, 'a'));
  t.is(look?.size, 5);
  t.regex(look?.changedAt ?? '', /^\d{4}-\d\d-\d\dT.*Z$/);
  t.is(await statOf(join(folder, 'b')), undefined);
  await t.throwsAsync(statOf(join(folder, 'a', 'below a file')), { code: 'ENOTDIR' });
});

test('putting aside moves the file and its journals under one new name', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'bus.sqlite');
  await Promise.all(['', '-wal', '-shm'].map((suffix) => writeFile(`${path}${suffix}`, suffix)));
  const aside = await setAside(path, clock);
  t.is(aside, `${path}.damaged-2026-05-17T083005.250Z`);
  t.deepEqual((await readdir(folder)).sort(), [
    'bus.sqlite.damaged-2026-05-17T083005.250Z',
    'bus.sqlite.damaged-2026-05-17T083005.250Z-shm',
    'bus.sqlite.damaged-2026-05-17T083005.250Z-wal',
  ]);
  t.is(await readFile(`${aside}-wal`, 'utf8'), '-wal');
});

test('putting aside takes a journal whose file is gone', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'bus.sqlite');
  await writeFile(`${path}-wal`, 'left');
  const aside = await setAside(path, clock);
  t.is(await readFile(`${aside}-wal`, 'utf8'), 'left');
  t.is(await statOf(`${path}-wal`), undefined);
});
