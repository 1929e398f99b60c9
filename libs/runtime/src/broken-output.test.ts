import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

interface Pulse {
  readonly turns: number;
  readonly memory: number;
}

const script = fileURLToPath(new URL('test/main-supervised.ts', import.meta.url));

const pulse = async (child: ChildProcess): Promise<Pulse> => {
  child.send('pulse');
  const [answer] = (await once(child, 'message')) as [Pulse];
  return answer;
};

const startChild = async (t: ExecutionContext, output: StdioOptions): Promise<ChildProcess> => {
  const stdio = ['ignore', ...(output as string[]), 'ipc'] as StdioOptions;
  const child = spawn(process.execPath, ['--conditions=@ranger-relay/source', script], { stdio });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
};

/** It turns on, keeps its memory, and ends in good order. */
const staysWell = async (t: ExecutionContext, child: ChildProcess): Promise<void> => {
  const before = await pulse(child);
  let after = await pulse(child);
  while (after.turns < before.turns + 100) after = await pulse(child);
  t.true(after.memory < before.memory + 64 * 2 ** 20);
  child.kill('SIGTERM');
  t.deepEqual(await once(child, 'exit'), [7, null]);
};

test('a reader of standard output and standard error that goes away stops nothing', async (t) => {
  for (const gone of [['stdout'], ['stderr'], ['stdout', 'stderr']] as const) {
    const child = await startChild(t, ['pipe', 'pipe']);
    child.stdout?.resume();
    child.stderr?.resume();
    for (const name of gone) child[name]?.destroy();
    await staysWell(t, child);
  }
});

test('a reader that does not read stops nothing, and what waits for it is bounded', async (t) => {
  const child = await startChild(t, ['pipe', 'pipe']);
  await staysWell(t, child);
});

test('a full disk behind standard output and standard error stops nothing', async (t) => {
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  await staysWell(t, await startChild(t, [full, full] as unknown as StdioOptions));
});

test('closed standard output and standard error stop nothing', async (t) => {
  const child = spawn(
    '/bin/sh',
    ['-c', 'exec "$0" "$@" >&- 2>&-', process.execPath, '--conditions=@ranger-relay/source', script],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    },
  );
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'message');
  await staysWell(t, child);
});
