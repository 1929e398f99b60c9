import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { type HostProcess, processShell } from './shell.ts';

const fakeProcess = (isTTY: boolean) => {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    Object.assign(new EventEmitter(), {
      isTTY,
      columns: 100,
      write: (text: string) => {
        written[name] += text;
        return true;
      },
    });
  const host = Object.assign(new EventEmitter(), {
    env: { TERM: 'xterm' },
    stdin: Object.assign(new PassThrough(), { isTTY }),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    exitCode: undefined as number | undefined,
  });
  return { host, written, shell: processShell(host as unknown as HostProcess) };
};

test('lines go where they belong', (t) => {
  const { shell, written } = fakeProcess(false);
  shell.out('result');
  shell.err('note');
  t.deepEqual(written, { stdout: 'result\n', stderr: 'note\n' });
});

test('progress is shown on a terminal alone and is cleared before a line', (t) => {
  const plain = fakeProcess(false);
  plain.shell.progress('10%');
  t.is(plain.written.stderr, '');
  const { shell, written } = fakeProcess(true);
  shell.progress('10%');
  shell.progress('20%');
  shell.err('done');
  shell.err('more');
  t.is(written.stderr, '10%\r\u001B[2K20%\r\u001B[2Kdone\nmore\n');
});

test('a person is asked on a terminal alone, and only a yes is one', async (t) => {
  t.is(await fakeProcess(false).shell.confirm('Drop it?'), undefined);
  for (const [typed, answer] of [
    ['y\n', true],
    ['YES\n', true],
    ['\n', false],
    ['no\n', false],
    ['yesterday\n', false],
  ] as const) {
    const { shell, host, written } = fakeProcess(true);
    host.stdin.write(typed);
    t.is(await shell.confirm('Drop it?'), answer);
    t.regex(written.stderr, /Drop it\? \[y\/N\] /);
  }
});

test('an interrupt in place of an answer is a no', async (t) => {
  const { shell, host } = fakeProcess(true);
  shell.interrupted();
  const asked = shell.confirm('Drop it?');
  host.emit('SIGINT');
  t.is(await asked, false);
});

test('colours are off where standard output is no terminal', (t) => {
  t.is(fakeProcess(false).shell.paint.red('x'), 'x');
  t.not(fakeProcess(true).shell.paint.red('x'), 'x');
});

test('signals are listened to only once a command asks for them', (t) => {
  const { shell, host } = fakeProcess(false);
  t.is(host.listenerCount('SIGINT'), 0);
  const signal = shell.interrupted();
  shell.interrupted();
  t.is(host.listenerCount('SIGINT'), 1);
  t.false(signal.aborted);
  host.emit('SIGINT');
  t.true(signal.aborted);
});

test('SIGTERM interrupts as SIGINT does', (t) => {
  const { shell, host } = fakeProcess(false);
  const signal = shell.interrupted();
  host.emit('SIGTERM');
  t.true(signal.aborted);
});

test('a reader that goes away interrupts instead of crashing', (t) => {
  const { shell, host } = fakeProcess(false);
  host.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  t.true(shell.interrupted().aborted);
  t.is(host.exitCode, undefined);
});

test('output that does not fit on a disk is a failure', (t) => {
  const { host, written } = fakeProcess(false);
  host.stdout.emit('error', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
  t.is(host.exitCode, 1);
  t.is(written.stderr, 'Standard output cannot be written: ENOSPC: no space left on device, write\n');
});

test('a reader of standard error that goes away changes nothing', (t) => {
  const { shell, host } = fakeProcess(false);
  host.stderr.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  t.false(shell.interrupted().aborted);
});

test('a failure is kept for the end of the process', (t) => {
  const { shell, host } = fakeProcess(false);
  shell.fail();
  t.is(host.exitCode, 1);
});
