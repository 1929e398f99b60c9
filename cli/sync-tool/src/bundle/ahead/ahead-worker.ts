import { parentPort } from 'node:worker_threads';
import { hashAhead, readAhead } from './read-ahead.ts';
import type { AheadOrder } from './task.ts';

const port = parentPort;

const hash = async (order: Extract<AheadOrder, { kind: 'hash' }>): Promise<void> =>
  port?.postMessage(await hashAhead(order.file).catch(() => null), []);

const read = async (order: Extract<AheadOrder, { kind: 'read' }>): Promise<void> => {
  const result = await readAhead(order.task).catch(() => null);
  const { patrols, legs } = result?.usage ?? {};
  port?.postMessage(result, patrols && legs ? [patrols.buffer, legs.buffer] : []);
};

// Answers come in the order of the orders.
let last: Promise<void> = Promise.resolve();
port?.on('message', (order: AheadOrder) => {
  last = last.then(() => (order.kind === 'hash' ? hash(order) : read(order)));
});
