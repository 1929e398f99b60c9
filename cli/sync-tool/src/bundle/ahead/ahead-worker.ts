import { parentPort } from 'node:worker_threads';
import { readAhead } from './read-ahead.ts';
import type { AheadTask } from './task.ts';

const port = parentPort;
port?.once('message', async (task: AheadTask) => {
  const result = await readAhead(task).catch(() => null);
  const { patrols, legs } = result?.usage ?? {};
  port.postMessage(result, patrols && legs ? [patrols.buffer, legs.buffer] : []);
});
