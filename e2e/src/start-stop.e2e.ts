import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { collect, freePorts } from './harness/product.ts';
import { isAlive, openTrial, untilRunning } from './harness/trial.ts';
import { until } from './harness/until.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `npm start` as a person types it, on a directory and ports of its own. */
const npmStart = async (t: ExecutionContext) => {
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-start-'));
  const ports = await freePorts();
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const env = { ...process.env, DATA_DIR: join(dir, 'data'), ...ports };
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await untilRunning(t, collect(npm));
  return { npm, pid, statusUrl: `http://127.0.0.1:${ports.STATUS_PORT}` };
};

test.serial('npm start runs the system, and SIGTERM to npm ends all of it in good order', async (t) => {
  const { npm, pid, statusUrl } = await npmStart(t);
  t.true((await fetch(`${statusUrl}/status.json`)).ok);
  const ended = once(npm, 'exit');
  npm.kill('SIGTERM');
  await ended;
  await until('the system has ended', () => !isAlive(pid));
  t.pass();
});

test.serial('a kill -9 of npm leaves no system behind', async (t) => {
  const { npm, pid } = await npmStart(t);
  npm.kill('SIGKILL');
  await until('the system has ended', () => !isAlive(pid), 20_000);
  t.pass();
});

test.serial(
  'a reader of the output that goes away stops nothing, and SIGTERM still ends it in good order',
  async (t) => {
    const { up, url, env } = await openTrial(t, { LOG_LEVEL: 'debug' });
    const { child, end } = await up();
    child.stdout?.destroy();
    child.stderr?.destroy();
    const runnerUrl = `http://127.0.0.1:${env['RUNNER_PORT']}`;
    // Endpoints that no caller may use are logged.
    for (let i = 0; i < 20; i += 1)
      t.is((await fetch(`${runnerUrl}/v1/actions/execute`, { method: 'POST' })).status, 401);
    t.is((await fetch(`${url}/status.json`)).status, 200);
    t.is(await end('SIGTERM'), 0);
  },
);
