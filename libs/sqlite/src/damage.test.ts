import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { insert, opened, temporaryPath, wordsOf } from './test/folder.ts';

const filled = async (t: ExecutionContext): Promise<string> => {
  const path = await temporaryPath(t);
  const file = await opened(t, { path });
  await file.write([insert(...Array.from({ length: 2_000 }, (_, i) => `a word with the number ${i}`))]);
  await file.close();
  return path;
};

const overwrite = async (path: string, from: number, to: number): Promise<void> => {
  const bytes = await readFile(path);
  bytes.fill(0xa5, from, to);
  await writeFile(path, bytes);
};

const refused = async (t: ExecutionContext, path: string, remedy?: string): Promise<RelayError> => {
  const before = await readFile(path);
  const error = await t.throwsAsync<RelayError>(opened(t, { path, ...(remedy ? { remedy } : {}) }));
  t.deepEqual(await readFile(path), before, 'the damaged file stays as it is');
  return error as RelayError;
};

test('a file that is no database is damaged', async (t) => {
  const path = await temporaryPath(t);
  await writeFile(path, 'this was never a database, but it is long enough to be one');
  const error = await refused(t, path, 'run the salvage command');
  t.is(error.code, 'store_damaged');
  t.is(error.details['path'], path);
  t.regex(error.message, /not a database file.*run the salvage command/);
});

test('a file with overwritten pages is damaged', async (t) => {
  const path = await filled(t);
  await overwrite(path, 4_096 * 4, 4_096 * 8);
  const error = await refused(t, path);
  t.is(error.code, 'store_damaged');
  t.regex(error.message, /restore it from a backup/);
});

test('a file with an overwritten header is damaged', async (t) => {
  const path = await filled(t);
  await overwrite(path, 0, 100);
  t.is((await refused(t, path)).code, 'store_damaged');
});

test('a file that was cut short is damaged', async (t) => {
  const path = await filled(t);
  await truncate(path, Math.trunc((await stat(path)).size / 2));
  t.is((await refused(t, path)).code, 'store_damaged');
});

test('damage that shows while working is reported as damage', async (t) => {
  const path = await filled(t);
  await overwrite(path, 4_096 * 4, 4_096 * 8);
  const file = await opened(t, { path, readOnly: true });
  const error = await t.throwsAsync<RelayError>(file.read('SELECT count(DISTINCT word) FROM words NOT INDEXED'));
  t.is(error?.code, 'store_damaged');
});

test('an empty file is filled by its owner', async (t) => {
  const path = await temporaryPath(t);
  await writeFile(path, '');
  const file = await opened(t, { path });
  await file.write([insert('first')]);
  t.deepEqual(await wordsOf(file), ['first']);
});

for (const options of [{ readOnly: true }, { beside: true }]) {
  test(`a missing file is not made by ${Object.keys(options)[0]}`, async (t) => {
    const path = await temporaryPath(t);
    const error = await t.throwsAsync<RelayError>(opened(t, { path, ...options }));
    t.is(error?.code, 'data_dir_unusable');
    t.regex(error?.message ?? '', /does not exist/);
    await t.throwsAsync(stat(path), { code: 'ENOENT' });
  });
}

test('a folder that does not exist cannot be used', async (t) => {
  const path = join(dirname(await temporaryPath(t)), 'missing', 'test.sqlite');
  t.is((await t.throwsAsync<RelayError>(opened(t, { path })))?.code, 'data_dir_unusable');
});

test('a path that is a folder cannot be used', async (t) => {
  const path = dirname(await temporaryPath(t));
  t.is((await t.throwsAsync<RelayError>(opened(t, { path })))?.code, 'data_dir_unusable');
});

test('no room for the tables is a full disk', async (t) => {
  t.is((await t.throwsAsync<RelayError>(opened(t, { maxPages: 1 })))?.code, 'store_full');
});
