import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { isAlive } from './lock.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

const childModule = new URL('../../cli/relay/bin/child.mjs', import.meta.url).href;
const preload = fileURLToPath(new URL('end-with-parent.mjs', import.meta.url));

/** Source of a process that runs `script` with node through `runChild` and takes over its exit code. */
const wrapper = (script, { args = [], stdio = `['inherit', 'inherit', 'inherit', 'ipc']` } = {}) => `
  import { runChild } from '${childModule}';
  process.exitCode = await runChild({ command: process.execPath, args: ${JSON.stringify([...args, '-e', script])},
    cwd: '.', env: process.env, stdio: ${stdio} });`;

/** Starts a module source; `line(n)` resolves with its n-th line of output. */
const start = (t, source) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let told;
  child.stdout.on('data', (more) => {
    text += more;
    told?.();
  });
  child.stdout.on('close', () => told?.());
  t.teardown(() => child.kill('SIGKILL'));
  const line = async (n) => {
    while (text.split('\n').length <= n + 1 && !child.stdout.closed) await new Promise((resolve) => (told = resolve));
    return text.split('\n')[n];
  };
  return { child, line, closed: once(child, 'close') };
};

const waiting = `console.log(process.pid); setInterval(() => {}, 1000);`;

test('gives back the exit code of the command', async (t) => {
  const { closed } = start(t, wrapper('process.exit(7)'));
  t.deepEqual(await closed, [7, null]);
});

test('gives back 128 and the number of the signal that ended the command', async (t) => {
  const { closed } = start(t, wrapper(`process.kill(process.pid, 'SIGKILL')`));
  t.deepEqual(await closed, [128 + constants.signals.SIGKILL, null]);
});

test('gives back 127 for a command that cannot be started', async (t) => {
  const source = `import { runChild } from '${childModule}';
    process.exitCode = await runChild({ command: '/no/such/command', args: [], cwd: '.', env: {}, stdio: 'ignore' });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  t.deepEqual(await once(child, 'close'), [127, null]);
  t.regex(said, /\/no\/such\/command cannot be started/);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  test(`passes ${signal} on once and waits for the command to finish its work`, async (t) => {
    const script = `let n = 0; process.on('${signal}', () => { n += 1; setTimeout(() => process.exit(40 + n), 300); }); ${waiting}`;
    const { child, line, closed } = start(t, wrapper(script));
    await line(0);
    child.kill(signal);
    child.kill(signal);
    t.deepEqual(await closed, [41, null]);
  });
}

test('a signal that comes while the command is being started ends the command, and not this process alone', async (t) => {
  const source = `import { runChild } from '${childModule}';
    const env = new Proxy(process.env, { ownKeys: (all) => (process.kill(process.pid, 'SIGINT'), Reflect.ownKeys(all)) });
    const args = ['-e', 'setInterval(() => {}, 1000)'];
    process.exitCode = await runChild({ command: process.execPath, args, env, stdio: 'inherit' });`;
  t.deepEqual(await start(t, source).closed, [128 + constants.signals.SIGINT, null]);
});

for (const [what, shell] of [
  ['directly', (command) => command],
  ['through a shell that lives on', (command) => ['sh', '-c', `'${command.join(`' '`)}'; true`]],
]) {
  test(`the command gets SIGTERM when npm, which started the wrapper ${what}, is killed`, async (t) => {
    const script = `process.on('SIGTERM', () => { console.log('terminated'); process.exit(0); }); ${waiting}`;
    const place = temporaryFolder(t);
    writeFileSync(join(place, 'wrapper.mjs'), wrapper(script));
    const [command, ...args] = shell([process.execPath, join(place, 'wrapper.mjs')]);
    const npm = `import { spawn } from 'node:child_process';
      spawn('${command}', ${JSON.stringify(args)}, { stdio: 'inherit', env: { npm_lifecycle_event: 'start' } });`;
    const { child, line } = start(t, npm);
    t.true(Number(await line(0)) > 0);
    child.kill('SIGKILL');
    t.is(await line(1), 'terminated');
  });
}

test('the command sees the wrapper’s death by the channel', async (t) => {
  const script = `process.on('disconnect', () => { console.log('alone'); process.exit(0); }); ${waiting}`;
  const { child, line } = start(t, wrapper(script));
  await line(0);
  child.kill('SIGKILL');
  t.is(await line(1), 'alone');
});

test('a command without a shutdown of its own ends with the wrapper', async (t) => {
  const { child, line, closed } = start(t, wrapper(waiting, { args: ['--import', preload] }));
  const pid = Number(await line(0));
  t.true(isAlive(pid));
  child.kill('SIGKILL');
  // The command shares the wrapper's output, which closes only when both have ended.
  t.deepEqual(await closed, [null, 'SIGKILL']);
});

test('the preload keeps no process alive', async (t) => {
  const { closed } = start(t, wrapper('', { args: ['--import', preload] }));
  t.deepEqual(await closed, [0, null]);
});
