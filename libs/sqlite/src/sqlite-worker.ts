import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from './database.ts';
import type { FromWorker, OpenRequest, ToWorker } from './protocol.ts';
import { runRead } from './queries.ts';
import { createStatements } from './statements.ts';
import { runUnits } from './transaction.ts';

// This file is bundled on its own and started by every open file: it imports nothing but node: modules and its neighbours.
const port = parentPort;
if (!port) throw new Error('this file runs as a worker thread only');

const answer = (message: FromWorker): void => port.postMessage(message);

const serve = (db: DatabaseSync): void => {
  const statements = createStatements(db);
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'close') {
      db.close();
      port.close();
      return;
    }
    const units = runUnits(db, statements, message.batch.units);
    answer({ kind: 'result', result: { units, reads: message.batch.reads.map((read) => runRead(statements, read)) } });
  });
};

const opened = openDatabase(workerData as OpenRequest);
if (opened instanceof DatabaseSync) serve(opened);
answer({ kind: 'opened', failure: opened instanceof DatabaseSync ? null : opened });
