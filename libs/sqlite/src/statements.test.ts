import { DatabaseSync } from 'node:sqlite';
import test from 'ava';
import { runRead } from './queries.ts';
import { createStatements, isTooBig } from './statements.ts';

const start = () => {
  const db = new DatabaseSync(':memory:');
  db.exec(
    `CREATE TABLE t (n INTEGER, word TEXT); INSERT INTO t VALUES (1, 'one'), (2, 'two'), (9007199254740993, 'big')`,
  );
  return createStatements(db);
};

test('a text is prepared once', (t) => {
  const statements = start();
  t.is(statements.get('SELECT 1'), statements.get('SELECT 1'));
});

test('at most 200 statements are kept, the oldest goes first', (t) => {
  const statements = start();
  const first = statements.get('SELECT 0');
  for (let i = 1; i <= 200; i += 1) statements.get(`SELECT ${i}`);
  t.not(statements.get('SELECT 0'), first);
  t.is(statements.get('SELECT 200'), statements.get('SELECT 200'));
});

test('a statement without rows answers none', (t) => {
  t.deepEqual(start().get('DELETE FROM t WHERE n = ?').run([1], false), []);
});

test('an integer beyond 2^53 is refused narrow and read wide', (t) => {
  const statement = start().get('SELECT n FROM t ORDER BY n');
  const error = t.throws(() => statement.run([], false));
  t.true(isTooBig(error));
  t.deepEqual(
    statement.run([], true).map(({ n }) => n),
    [1, 2, 9_007_199_254_740_993n],
  );
});

test('a page of rows ends with the row that fills it', (t) => {
  const statement = start().get('SELECT word FROM t WHERE n < 3 ORDER BY n');
  t.is(statement.page([], false, 3).length, 1);
  t.is(statement.page([], false, 4).length, 2);
  t.is(statement.page([], false, 1_000).length, 2);
});

test('a statement can be run again after a page that ended early', (t) => {
  const statement = start().get('SELECT word FROM t ORDER BY n');
  statement.page([], false, 1);
  t.is(statement.run([], false).length, 3);
});

test('a query reads big integers without being asked to, paged or not', (t) => {
  const statements = start();
  const request = { sql: 'SELECT n FROM t ORDER BY n DESC', params: [] };
  const big = [{ n: 9_007_199_254_740_993n }, { n: 2 }, { n: 1 }];
  t.deepEqual(runRead(statements, request), { rows: big });
  t.deepEqual(runRead(statements, { ...request, maxBytes: 1_000 }), { rows: big });
});

test('a query that fails is its result, not a throw', (t) => {
  const result = runRead(start(), { sql: 'SELECT missing FROM t', params: [] });
  t.like(result, { failure: { kind: 'other' } });
});
