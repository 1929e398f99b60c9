import { EventEmitter } from 'node:events';
import { manualClock, recordingLogger, testContext } from './testing/index.ts';
import test from 'ava';
import { endOfLife, endSignal, runProcess, unexpectedFailure } from './process.ts';
import { kinds } from './index.ts';

test('a signal, or the end of the starting process, ends it in good order', async (t) => {
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) {
    const host = new EventEmitter();
    const ended = endSignal(host as NodeJS.Process);
    host.emit(event);
    t.is((await ended).code, 0);
  }
});

test('a part that can do its work no more ends the process with a failure that names it', async (t) => {
  const clock = manualClock();
  let alive = true;
  const contexts = [testContext({ clock }), testContext({ clock })];
  contexts[1]?.health.addLiveness({ name: 'consumers alive', ok: () => alive });
  const ended = endOfLife(contexts);
  await clock.advance(10_000);
  alive = false;
  await clock.advance(2_000);
  t.deepEqual(await ended, { code: 1, why: 'no longer alive: consumers alive' });
});

test('an error that nobody handled ends the process; one that its run has already told of does not', async (t) => {
  const host = Object.assign(new EventEmitter(), { stdout: new EventEmitter(), stderr: new EventEmitter() });
  const { log, lines } = recordingLogger();
  const failed = unexpectedFailure(host as unknown as NodeJS.Process, log, (reason) => reason === 'told');
  host.emit('unhandledRejection', 'told');
  t.is(lines.length, 0);
  host.emit('uncaughtException', 'told');
  t.deepEqual(await failed, { code: 1, why: 'uncaughtException' });
  t.is(lines.length, 1);
});

const stream = () => Object.assign(new EventEmitter(), { text: '', writableLength: 0 });

test('a program is asked for its settings with --help, and refuses other arguments without repeating them', async (t) => {
  const call = async (...args: string[]) => {
    const host = { stdout: stream(), stderr: stream() };
    for (const each of [host.stdout, host.stderr])
      Object.assign(each, { write: (line: string) => void (each.text += line) });
    const table = {
      PORT: { kind: kinds.port(), default: '80', description: 'Port' },
      TOKEN: { kind: kinds.text(), description: 'Token' },
      PLACE: { kind: kinds.text(), description: 'Place' },
    };
    const asked = { name: 'relay', args, table, required: ['TOKEN'] };
    const code = await runProcess(host as unknown as NodeJS.Process, asked, () => t.fail() as never);
    return { code, out: host.stdout.text, err: host.stderr.text };
  };
  const { code, out, err } = await call('--help');
  t.is(code, 0);
  t.is(err, '');
  t.regex(out, /^Usage: relay$/m);
  t.regex(out, /Token\. Takes .*; required by default\./);
  t.regex(out, /Place\. Takes .*; optional\./);
  for (const args of [['--secret-flag'], ['secret'], ['--help', '--secret-flag']]) {
    const refused = await call(...args);
    t.is(refused.code, 2);
    t.is(refused.out, '');
    t.regex(refused.err, /^relay takes no arguments but --help/);
    t.notRegex(refused.err, /secret/);
  }
});
