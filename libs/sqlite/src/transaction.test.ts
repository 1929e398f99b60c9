import { DatabaseSync } from 'node:sqlite';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import type { SqlWrite } from './port.ts';
import { createStatements } from './statements.ts';
import { runUnits } from './transaction.ts';

const start = (pages = 10_000) => {
  const db = new DatabaseSync(':memory:');
  db.exec(`PRAGMA max_page_count = ${pages}; CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT UNIQUE)`);
  const statements = createStatements(db);
  return {
    db,
    run: (units: readonly (readonly SqlWrite[])[]) => runUnits(db, statements, units),
    words: () =>
      db
        .prepare('SELECT word FROM words ORDER BY id')
        .all()
        .map(({ word }) => word),
  };
};

const insert = (...words: string[]): SqlWrite => ({
  sql: 'INSERT INTO words (word) VALUES (?)',
  params: words.map((word) => [word]),
});

test('nothing to do is nothing done', (t) => {
  t.deepEqual(start().run([]), []);
});

test('no transaction stays open, whatever happens', (t) => {
  const { db, run } = start();
  run([[insert('a')]]);
  t.false(db.isTransaction);
  run([[insert('a')], [insert('b', 'b')]]);
  t.false(db.isTransaction);
});

test('when the disk is full every unit of the transaction says so', (t) => {
  const { run, words } = start(8);
  const results = run([[insert('small')], [insert('x'.repeat(100_000))], [insert('tiny')]]);
  t.deepEqual(
    results.map((result) => ('failure' in result ? result.failure.kind : 'stored')),
    ['full', 'full', 'full'],
  );
  t.deepEqual(words(), []);
  t.deepEqual(run([[insert('small')]]), [{ rows: null }]);
});

test('a failure that SQLite ends the transaction for fails every unit', (t) => {
  const { run, words } = start();
  const rollback: SqlWrite = { sql: `INSERT OR ROLLBACK INTO words (word) VALUES (?)`, params: [['a']] };
  const results = run([[insert('a')], [rollback], [insert('b')]]);
  t.true(results.every((result) => 'failure' in result));
  t.deepEqual(words(), []);
});

testProp(
  'exactly the units without a repeated word are stored, in order',
  [
    fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 3 }), {
      maxLength: 12,
    }),
  ],
  (t, units) => {
    const { run, words } = start();
    const expected: string[] = [];
    const stored = units.map((unit) => {
      const good = new Set([...expected, ...unit]).size === expected.length + unit.length;
      if (good) expected.push(...unit);
      return good;
    });
    const results = run(units.map((unit) => [insert(...unit)]));
    t.deepEqual(
      results.map((result) => 'rows' in result),
      stored,
    );
    t.deepEqual(words(), expected);
  },
);
