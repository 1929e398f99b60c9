import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import test from 'ava';
import { operatorCommand } from './command.ts';

const run = async (...args: readonly string[]) => {
  const shell = recordingShell();
  const stderr = new PassThrough();
  const host = Object.assign(new EventEmitter(), { argv: [], env: {}, stderr }) as unknown as NodeJS.Process;
  const code = await runProgram(shell, createProgram(shell, testAbout, [operatorCommand(shell, host)]), [
    'operator',
    ...args,
  ]);
  return { code: code || shell.exitCode(), told: `${shell.errors.join('\n')}${String(stderr.read() ?? '')}` };
};

test('a kubeconfig has to be named: no cluster is worked on by chance', async (t) => {
  const { code, told } = await run();
  t.is(code, 2);
  t.regex(told, /--kubeconfig/);
});

test('the operator has the variables that it has in a pod, and the command ends as the operator does', async (t) => {
  const { code, told } = await run('--kubeconfig', '/none', '--context', 'park', '--namespace', 'patrols');
  t.is(code, 1);
  t.regex(told, /^JOB_IMAGE is not set/);
});
