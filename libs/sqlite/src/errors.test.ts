import test from 'ava';
import { errorOf } from './errors.ts';
import { failureOf, isFatal } from './failure.ts';
import type { Failure } from './protocol.ts';

const sqliteError = (errcode: number): Error => Object.assign(new Error('from SQLite'), { errcode });

const of = (kind: Failure['kind'], remedy?: string) => errorOf({ kind, problem: 'p' }, '/data/x.sqlite', remedy);

const kinds: readonly (readonly [number, Failure['kind'], string])[] = [
  [13, 'full', 'SQLITE_FULL'],
  [4874, 'full', 'no room for the shared index'],
  [11, 'damaged', 'SQLITE_CORRUPT'],
  [267, 'damaged', 'SQLITE_CORRUPT_VTAB'],
  [26, 'damaged', 'SQLITE_NOTADB'],
  [14, 'unusable', 'SQLITE_CANTOPEN'],
  [8, 'unusable', 'SQLITE_READONLY'],
  [5, 'other', 'SQLITE_BUSY'],
  [2067, 'other', 'SQLITE_CONSTRAINT_UNIQUE'],
  [778, 'other', 'SQLITE_IOERR_WRITE'],
];
for (const [code, kind, name] of kinds)
  test(`${name} is ${kind}`, (t) => {
    t.deepEqual(failureOf(sqliteError(code)), { kind, problem: 'from SQLite' });
  });

test('what is not of SQLite, or no error at all, is other', (t) => {
  t.is(failureOf(new TypeError('x')).kind, 'other');
  t.deepEqual(failureOf('text'), { kind: 'other', problem: 'text' });
  t.is(failureOf(null).kind, 'other');
});

test('a long problem is cut', (t) => {
  t.is(failureOf(new Error('x'.repeat(5_000))).problem.length, 500);
});

test('disk and file failures end a transaction, statement failures do not', (t) => {
  t.true([10, 13, 11, 778].every((code) => isFatal(sqliteError(code))));
  t.false([1, 5, 19, 2067].some((code) => isFatal(sqliteError(code))));
});

test('each kind is a registered error with the path, and the text of SQLite as its cause', (t) => {
  t.is(of('full').code, 'store_full');
  t.is(of('damaged').code, 'store_damaged');
  t.is(of('missing').code, 'data_dir_unusable');
  t.is(of('unusable').details['path'], '/data');
  t.is(of('other').code, 'internal');
  t.is(of('damaged', 'do this').details['remedy'], 'do this');
  t.is((of('other').cause as Error).message, 'p');
});
