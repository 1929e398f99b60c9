import { parentPort, workerData } from 'node:worker_threads';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from './database.ts';
import { noteUnchecked } from './integrity.ts';
import type { Failure, FromWorker, OpenRequest, ReadResult, ToWorker, UnitResult } from './protocol.ts';
import { runRead } from './queries.ts';
import { createStatements } from './statements.ts';
import { runUnits } from './transaction.ts';

// This file is bundled separately and started for every open file: it imports only node: modules and files beside it.
const port = parentPort;
if (!port) throw new Error('this file runs as a worker thread only');

const answer = (message: FromWorker): void => port.postMessage(message);

const isDamaged = (result: UnitResult | ReadResult): result is { failure: Failure } =>
  'failure' in result && result.failure.kind === 'damaged';

const serve = (db: DatabaseSync, { path, readOnly, beside }: OpenRequest): void => {
  const statements = createStatements(db);
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'close') {
      db.close();
      port.close();
      return;
    }
    const units = runUnits(db, statements, message.batch.units);
    const reads = message.batch.reads.map((read) => runRead(statements, read));
    const damage = [...units, ...reads].find(isDamaged);
    if (damage && !readOnly && !beside) noteUnchecked(path, damage.failure.problem);
    answer({ kind: 'result', result: { units, reads } });
  });
};

const request = workerData as OpenRequest;
const opened = openDatabase(request);
if ('db' in opened && request.check) opened.db.close();
else if ('db' in opened) serve(opened.db, request);
answer({
  kind: 'opened',
  failure: 'db' in opened ? null : opened,
  unchecked: 'db' in opened && opened.unchecked,
});
