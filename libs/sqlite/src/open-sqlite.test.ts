import { Worker } from 'node:worker_threads';
import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { errorOf } from './open-sqlite.ts';
import { type Failure, failureOf, isFatal } from './protocol.ts';
import { insert, opened, schema, temporaryPath, wordsOf } from './test/folder.ts';

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

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return isRelayError(error) ? error.code : `not a registered error: ${String(error)}`;
};

/** Opens and never answers a call: SQLite itself cannot be ended in the middle of a query, nor its thread. */
const silent = () =>
  new Worker(
    `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', () => {});
    parentPort.postMessage({ kind: 'opened', failure: null });`,
    { eval: true },
  );
const stillborn = () => new Worker('process.exit(3)', { eval: true });

test('what was written is there after closing and opening again', async (t) => {
  const path = await temporaryPath(t);
  const first = await opened(t, { path });
  await first.write([insert('one', 'two')]);
  await first.close();
  t.deepEqual(await wordsOf(await opened(t, { path })), ['one', 'two']);
});

test('the file is in WAL mode and syncs fully', async (t) => {
  const file = await opened(t);
  t.deepEqual(await file.read('PRAGMA journal_mode'), [{ journal_mode: 'wal' }]);
  t.deepEqual(await file.read('PRAGMA synchronous'), [{ synchronous: 2 }]);
  t.deepEqual(await file.read('PRAGMA foreign_keys'), [{ foreign_keys: 0 }]);
});

test('each run answers its rows, in order', async (t) => {
  const file = await opened(t);
  const sql = 'INSERT INTO words (word) VALUES (?) RETURNING id, word';
  const rows = await file.write([insert('zero'), { sql, params: [['one'], ['two']] }]);
  t.deepEqual(rows, [[], [{ id: 2, word: 'one' }], [{ id: 3, word: 'two' }]]);
  t.deepEqual(await file.write([insert('three', 'four')]), [[], []]);
});

test('a unit is stored whole or not at all', async (t) => {
  const file = await opened(t);
  await file.write([insert('taken')]);
  t.is(await codeOf(file.write([insert('new'), insert('taken')])), 'internal');
  t.deepEqual(await wordsOf(file), ['taken']);
});

test('a unit that fails takes none of its neighbours with it', async (t) => {
  const file = await opened(t);
  const results = await Promise.allSettled([
    file.write([insert('a')]),
    file.write([insert('b'), insert('a')]),
    file.write([insert('c')]),
    file.write([{ sql: 'INSERT INTO nowhere VALUES (1)', params: [[]] }]),
    file.write([insert('d')]),
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  t.deepEqual(await wordsOf(file), ['a', 'c', 'd']);
});

test('the error of SQLite is the cause', async (t) => {
  const file = await opened(t);
  const error = await t.throwsAsync<RelayError>(file.write([insert('x', 'x')]));
  t.is(error?.code, 'internal');
  t.regex(String(error?.cause), /UNIQUE constraint failed/);
});

test('a query sees every write that was called before it', async (t) => {
  const file = await opened(t);
  const writes = Array.from({ length: 50 }, (_, i) => file.write([insert(`word ${i}`)]));
  t.is((await wordsOf(file)).length, 50);
  await Promise.all(writes);
});

test('integers beyond 2^53 come as bigint, others as number', async (t) => {
  const file = await opened(t);
  t.deepEqual(await file.read('SELECT 9007199254740993 AS big, 7 AS small'), [
    { big: 9_007_199_254_740_993n, small: 7 },
  ]);
  const sql = `INSERT INTO words (id, word) VALUES (?, 'big') RETURNING id`;
  t.deepEqual(await file.write([{ sql, params: [[2n ** 60n]] }]), [[{ id: 2n ** 60n }]]);
});

test('bytes, texts with NUL and null come back as they went', async (t) => {
  const file = await opened(t);
  const bytes = new Uint8Array([0, 255, 1]);
  const [row] = await file.read('SELECT ? AS bytes, ? AS gone, CAST(? AS BLOB) AS text', [bytes, null, 'a\0ü']);
  t.deepEqual(new Uint8Array(row?.['bytes'] as Uint8Array), bytes);
  t.is(row?.['gone'], null);
  t.is(Buffer.from(row?.['text'] as Uint8Array).toString(), 'a\0ü');
});

test('a query stops at the row that fills its bytes', async (t) => {
  const file = await opened(t);
  await file.write([insert('aaaa', 'bbbb', 'cccc')]);
  const read = (maxBytes: number) => file.read('SELECT word FROM words ORDER BY id', [], { maxBytes });
  t.is((await read(1)).length, 1);
  t.is((await read(5)).length, 2);
  t.is((await read(100)).length, 3);
});

test('a query that fails rejects and the file goes on', async (t) => {
  const file = await opened(t);
  t.is(await codeOf(file.read('SELECT nothing FROM nowhere')), 'internal');
  t.true(file.alive());
  t.deepEqual(await wordsOf(file), []);
});

test('a call over its deadline rejects; one that was not begun is never stored', async (t) => {
  const clock = manualClock();
  const file = await opened(t, { clock });
  const slow = file.write([
    {
      sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000000) SELECT max(i) FROM n',
      params: [[]],
    },
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  const late = codeOf(file.write([insert('late')], { deadlineMs: 100 }));
  await clock.advance(100);
  t.is(await late, 'deadline_exceeded');
  await slow;
  t.deepEqual(await wordsOf(file), []);
});

test('a full disk is store_full, loses nothing that was stored, and ends when there is room again', async (t) => {
  const file = await opened(t, { maxPages: 10 });
  await file.write([insert('before')]);
  const large = () => file.write([insert('x'.repeat(100_000))]);
  t.is(await codeOf(large()), 'store_full');
  t.is(await codeOf(large()), 'store_full');
  t.true(file.alive());
  t.deepEqual(await wordsOf(file), ['before']);
  await file.read('PRAGMA max_page_count = 1000');
  await large();
  t.is((await wordsOf(file)).length, 2);
  t.deepEqual(await file.read('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
});

test('room that was reserved takes small writes when the disk is full, over and over', async (t) => {
  const path = await temporaryPath(t);
  const open = (maxPages: number) => opened(t, { path, maxPages, reserveBytes: 65_536 });
  const first = await open(10_000);
  const [size] = await first.read('PRAGMA page_count');
  await first.close();
  const file = await open(Number(size?.['page_count']));
  for (let n = 0; n < 40; n += 1) {
    await file.write([insert('x'.repeat(20_000) + n)]);
    await file.write([{ sql: 'DELETE FROM words', params: [[]] }]);
  }
  t.is(await codeOf(file.write([insert('x'.repeat(100_000))])), 'store_full');
});

test('closing finishes what was accepted and refuses what comes later', async (t) => {
  const path = await temporaryPath(t);
  const file = await opened(t, { path });
  const accepted = file.write([insert('accepted')]);
  const closing = file.close();
  t.is(await codeOf(file.write([insert('later')])), 'store_closed');
  t.is(await codeOf(file.read('SELECT 1')), 'store_closed');
  await accepted;
  await closing;
  t.false(file.alive());
  await file.close();
  t.deepEqual(await wordsOf(await opened(t, { path })), ['accepted']);
});

test('when the worker dies, what waits and what comes rejects', async (t) => {
  let worker: Worker | undefined;
  const file = await opened(t, { make: () => (worker = silent()) });
  const waiting = codeOf(file.read('SELECT 1'));
  await new Promise((resolve) => setImmediate(resolve));
  await worker?.terminate();
  t.is(await waiting, 'store_closed');
  t.false(file.alive());
  t.is(await codeOf(file.write([insert('x')])), 'store_closed');
  await file.close();
});

test('a worker that cannot start is an error of opening', async (t) => {
  t.is(await codeOf(opened(t, { make: stillborn })), 'internal');
});

test('what cannot travel to the worker rejects alone and the next call works', async (t) => {
  const file = await opened(t);
  const odd = file.read('SELECT ?', [Symbol('odd') as unknown as string]);
  t.is(await codeOf(odd), 'internal');
  t.deepEqual(await wordsOf(file), []);
});

test('a reader and a writer beside the owner see and add records', async (t) => {
  const path = await temporaryPath(t);
  const owner = await opened(t, { path });
  await owner.write([insert('owner')]);
  const reader = await opened(t, { path, readOnly: true });
  const writer = await opened(t, { path, beside: true, schema: ['not even SQL'] });
  await writer.write([insert('writer')]);
  t.deepEqual(await wordsOf(reader), ['owner', 'writer']);
  t.deepEqual(await wordsOf(owner), ['owner', 'writer']);
  t.is(await codeOf(reader.write([insert('reader')])), 'data_dir_unusable');
});

test('a reader opens a file that nobody has open', async (t) => {
  const path = await temporaryPath(t);
  const owner = await opened(t, { path });
  await owner.write([insert('left')]);
  await owner.close();
  t.deepEqual(await wordsOf(await opened(t, { path, readOnly: true })), ['left']);
});

test('many calls at once all arrive, in order', async (t) => {
  const file = await opened(t, { schema: [...schema, 'CREATE TABLE numbers (n INTEGER)'] });
  const numbers = Array.from({ length: 3_000 }, (_, n) => n);
  await Promise.all(numbers.map((n) => file.write([{ sql: 'INSERT INTO numbers VALUES (?)', params: [[n]] }])));
  const stored = await file.read('SELECT n FROM numbers ORDER BY rowid');
  t.deepEqual(
    stored.map(({ n }) => n),
    numbers,
  );
});
