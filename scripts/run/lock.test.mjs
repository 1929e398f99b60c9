import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { isAlive, withLock } from './lock.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

const place = (t) => join(temporaryFolder(t), '.installing');

/** The id of a process that has just ended. */
const deadPid = () => Number(spawnSync(process.execPath, ['-p', 'process.pid']).stdout.toString());

test('holds the lock while the task runs, and gives back its result', async (t) => {
  const dir = place(t);
  const result = await withLock(dir, async () => {
    t.is(readFileSync(join(dir, 'pid'), 'utf8'), String(process.pid));
    return 7;
  });
  t.is(result, 7);
  t.false(existsSync(dir));
});

test('lets the lock go when the task fails', async (t) => {
  const dir = place(t);
  await t.throwsAsync(
    withLock(dir, () => Promise.reject(new Error('no network'))),
    { message: 'no network' },
  );
  t.false(existsSync(dir));
});

test('two tasks never run at once; the second says once whom it waits for', async (t) => {
  const dir = place(t);
  let running = 0;
  let max = 0;
  const waits = [];
  const task = async () => {
    running += 1;
    max = Math.max(max, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all([1, 2, 3].map(() => withLock(dir, task, (owner) => waits.push(owner))));
  t.is(max, 1);
  t.deepEqual(waits, [process.pid, process.pid]);
});

test('a lock whose owner was killed is taken over', async (t) => {
  const dir = place(t);
  mkdirSync(dir);
  writeFileSync(join(dir, 'pid'), String(deadPid()));
  t.is(await withLock(dir, async () => 'ran'), 'ran');
  t.deepEqual(readdirSync(join(dir, '..')), []);
});

test('knows the living from the dead', (t) => {
  t.true(isAlive(process.pid));
  t.true(isAlive(1));
  t.false(isAlive(deadPid()));
});
