import type { DatabaseSync } from 'node:sqlite';
import type { SqlRow, SqlWrite } from './port.ts';
import { restartJournal } from './database.ts';
import { failureOf, isFatal, type UnitResult } from './protocol.ts';
import { isTooBig, type Statements } from './statements.ts';

type Unit = readonly SqlWrite[];

const runUnit = (statements: Statements, unit: Unit, wide: boolean): UnitResult => {
  const rows: (readonly SqlRow[])[] = [];
  let some = false;
  for (const { sql, params } of unit) {
    const statement = statements.get(sql);
    for (const list of params) {
      const returned = statement.run(list, wide);
      some ||= returned.length > 0;
      rows.push(returned);
    }
  }
  return { rows: some ? rows : null };
};

const rollback = (db: DatabaseSync): void => {
  if (db.isTransaction) db.exec('ROLLBACK');
};

const makeRoom = (db: DatabaseSync): void => {
  try {
    restartJournal(db);
  } catch {
    // The second attempt tells what the disk says.
  }
};

/** The common case: no unit fails, so that none needs its own savepoint. */
const runTogether = (db: DatabaseSync, statements: Statements, units: readonly Unit[]): readonly UnitResult[] => {
  db.exec('BEGIN IMMEDIATE');
  const results = units.map((unit) => runUnit(statements, unit, false));
  db.exec('COMMIT');
  return results;
};

const runSaved = (db: DatabaseSync, statements: Statements, unit: Unit, wide = false): UnitResult => {
  db.exec('SAVEPOINT unit');
  try {
    const result = runUnit(statements, unit, wide);
    db.exec('RELEASE unit');
    return result;
  } catch (error) {
    if (isFatal(error) || !db.isTransaction) throw error;
    db.exec('ROLLBACK TO unit');
    db.exec('RELEASE unit');
    return isTooBig(error) && !wide ? runSaved(db, statements, unit, true) : { failure: failureOf(error) };
  }
};

const runApart = (db: DatabaseSync, statements: Statements, units: readonly Unit[]): readonly UnitResult[] => {
  db.exec('BEGIN IMMEDIATE');
  const results = units.map((unit) => runSaved(db, statements, unit));
  db.exec('COMMIT');
  return results;
};

/**
 * Runs the units in one transaction with one fsync. A failing unit is rolled back alone; when the disk or the file fails, all units are rolled
 * back with that failure. On a full disk it tries once more with the room that the journal has had.
 */
export const runUnits = (db: DatabaseSync, statements: Statements, units: readonly Unit[]): readonly UnitResult[] => {
  if (units.length === 0) return [];
  for (const attempt of [runTogether, runApart]) {
    try {
      return attempt(db, statements, units);
    } catch (error) {
      rollback(db);
      if (attempt === runTogether && failureOf(error).kind === 'full') makeRoom(db);
      else if (attempt === runApart || isFatal(error)) return units.map(() => ({ failure: failureOf(error) }));
    }
  }
  return [];
};
