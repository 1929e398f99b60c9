import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { insert, opened, temporaryPath, wordsOf } from './test/folder.ts';

const page = 4_096;
const words = Array.from({ length: 2_200 }, (_, n) => `${n} ${'x'.repeat(9_000)}`);
const last = 'the last word';

/** A file that is too large to be checked at every start, as its owner leaves it: closed, or killed. */
const large = async (t: ExecutionContext, end: 'closed' | 'killed'): Promise<string> => {
  const path = await temporaryPath(t);
  const file = await opened(t, { path });
  for (let from = 0; from < words.length; from += 100) await file.write([insert(...words.slice(from, from + 100))]);
  await file.close();
  if (end === 'closed') return path;
  const again = await opened(t, { path });
  await again.write([insert(last)]);
  const copy = await temporaryPath(t);
  for (const suffix of ['', '-wal']) await copyFile(`${path}${suffix}`, `${copy}${suffix}`);
  return copy;
};

const damage = async (path: string): Promise<Buffer> => {
  const whole = await readFile(path);
  const bytes = Buffer.from(whole);
  const middle = Math.floor(bytes.length / page / 2) * page;
  await writeFile(path, bytes.fill(0xee, middle, middle + 4 * page));
  return whole;
};

const isUnchecked = (path: string): boolean => existsSync(`${path}.unchecked`);

const checked = async (path: string): Promise<void> => {
  while (isUnchecked(path)) await new Promise(setImmediate);
};

const refused = async (t: ExecutionContext, path: string): Promise<void> => {
  const error = await t.throwsAsync<RelayError>(opened(t, { path, remedy: 'call for help' }));
  t.is(error?.code, 'store_damaged');
  t.regex(error?.message ?? '', /call for help/);
};

test('a large file that was not closed is used at once and checked beside', async (t) => {
  const path = await large(t, 'killed');
  const file = await opened(t, { path });
  t.true(isUnchecked(path));
  t.is((await wordsOf(file)).at(-1), last);
  await checked(path);
  await file.write([insert('after')]);
  t.true(file.alive());
});

test('what the check beside finds ends the use of the file, and it is refused until it is whole again', async (t) => {
  const path = await large(t, 'killed');
  const whole = await damage(path);
  const lost = Promise.withResolvers<RelayError>();
  const file = await opened(t, { path, remedy: 'call for help', onLost: lost.resolve });
  const error = await lost.promise;
  t.is(error.code, 'store_damaged');
  t.regex(error.message, /call for help/);
  t.false(file.alive());
  for (const call of [file.write([insert('lost')]), file.read('SELECT 1')])
    t.is((await t.throwsAsync<RelayError>(call))?.code, 'store_damaged');
  await file.close();
  await refused(t, path);
  await refused(t, path);
  await writeFile(path, whole);
  const restored = await opened(t, { path });
  t.false(isUnchecked(path));
  t.deepEqual((await wordsOf(restored)).slice(0, words.length), words);
});

test('a large file that was closed is not read at the start; damage that its use shows is remembered', async (t) => {
  const path = await large(t, 'closed');
  t.false(isUnchecked(path));
  await damage(path);
  const file = await opened(t, { path });
  t.false(isUnchecked(path));
  const read = file.read('SELECT count(DISTINCT word) FROM words NOT INDEXED');
  t.is((await t.throwsAsync<RelayError>(read))?.code, 'store_damaged');
  await file.close();
  await refused(t, path);
});

test('a check that was cut off is made again', async (t) => {
  const path = await large(t, 'killed');
  const first = await opened(t, { path });
  await first.close();
  t.true(isUnchecked(path));
  await opened(t, { path });
  t.true(isUnchecked(path));
  await checked(path);
  const again = await opened(t, { path: await large(t, 'closed') });
  t.true(again.alive());
});

test('a full sync reaches the disk where the system knows a fuller one', async (t) => {
  const file = await opened(t);
  const [full] = await file.read('PRAGMA fullfsync');
  const [checkpoint] = await file.read('PRAGMA checkpoint_fullfsync');
  t.deepEqual(
    [full, checkpoint].map((row) => Object.values(row ?? {})),
    [[1], [1]],
  );
});
