import { EventEmitter } from 'node:events';
import { manualClock, recordingLogger, testContext } from './testing/index.ts';
import test from 'ava';
import { endOfLife, endSignal, unexpectedFailure } from './process.ts';

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
