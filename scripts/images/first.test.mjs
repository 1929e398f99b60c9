import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { first } from './definitions.mjs';

/** Runs a program that begins as those in images do; resolves once it has printed a line. */
const start = async (t, program) => {
  const child = spawn(process.execPath, ['-e', `${first}\n${program}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  return { child, closed };
};

const waiting = `setInterval(() => {}, 1000); console.log('ready');`;

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
])
  test(`a program that does not listen yet ends at ${signal}, and says that it was not its own end`, async (t) => {
    const { child, closed } = await start(t, waiting);
    child.kill(signal);
    t.deepEqual(await closed, [code, null]);
  });

test('once a program listens, its own end is all that happens', async (t) => {
  const own = `process.once('SIGTERM', () => setTimeout(() => process.exit(7), 50));`;
  const { child, closed } = await start(t, `${own} setTimeout(() => { ${waiting} });`);
  child.kill('SIGTERM');
  t.deepEqual(await closed, [7, null]);
});

test('a signal that comes while a program loads reaches the end that it has by then', async (t) => {
  const loading = `process.kill(process.pid, 'SIGTERM'); const end = Date.now() + 100; while (Date.now() < end);`;
  const own = `process.once('SIGTERM', () => process.exit(7));`;
  const { closed } = await start(t, `console.log('loading'); ${loading} ${own} setInterval(() => {}, 1000);`);
  t.deepEqual(await closed, [7, null]);
});

test('a program that listens to one signal still ends at the other', async (t) => {
  const { child, closed } = await start(t, `process.on('SIGTERM', () => {}); setTimeout(() => { ${waiting} });`);
  child.kill('SIGTERM');
  child.kill('SIGINT');
  t.deepEqual(await closed, [130, null]);
});

test('a program that has nothing to do ends by itself', async (t) => {
  const { closed } = await start(t, `console.log('done');`);
  t.deepEqual(await closed, [0, null]);
});
