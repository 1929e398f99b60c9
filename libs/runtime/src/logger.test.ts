import { RelayError } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createLogger } from './index.ts';
import { recordingLogger, silentLogger } from './testing/index.ts';

const canary = 'CANARY7f3a';

test('a line is one JSON object with level, time, service, fields and message', (t) => {
  const lines: string[] = [];
  createLogger({ service: 'ingester', level: 'info', write: (line) => lines.push(line) }).warn({ n: 1 }, 'told');
  t.is(lines.length, 1);
  t.true(lines[0]?.endsWith('}\n'));
  const { time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  t.deepEqual(rest, { level: 'warn', service: 'ingester', n: 1, msg: 'told' });
  t.regex(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('a line has the time of the clock that is given', (t) => {
  const lines: string[] = [];
  const start = Date.UTC(2026, 0, 1);
  createLogger({ service: 's', level: 'info', now: () => start, write: (line) => lines.push(line) }).info('told');
  t.like(JSON.parse(lines[0] ?? ''), { time: '2026-01-01T00:00:00.000Z' });
});

test('lines below the level are not written', (t) => {
  const lines: string[] = [];
  const log = createLogger({ service: 's', level: 'warn', write: (line) => lines.push(line) });
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  t.is(lines.length, 2);
  t.notThrows(() => silentLogger().error({ err: new Error('x') }, 'nothing'));
});

test('an error is told with its code, details, message and causes', (t) => {
  const { log, lines } = recordingLogger();
  const error = new RelayError('store_full', { details: { path: '/data' }, cause: new Error('ENOSPC') });
  log.error({ err: error }, 'cannot store');
  t.like(lines[0], {
    msg: 'cannot store',
    err: {
      type: 'RelayError',
      code: 'store_full',
      details: { path: '/data' },
      message: 'The disk of /data is full',
      cause: { type: 'Error', message: 'ENOSPC' },
    },
  });
});

test('only an error of the program has a stack in the log, with those of its causes', (t) => {
  const { log, lines } = recordingLogger();
  const cause = new Error('ECONNREFUSED');
  log.warn({ err: new RelayError('platform_unavailable', { details: { reason: 'it is down' }, cause }) }, 'a');
  t.notRegex(JSON.stringify(lines), /logger\.test\.ts/);
  t.true(JSON.stringify(lines[0]).length < 400);
  for (const err of [cause, new RelayError('internal', { cause }), new RelayError('handler_failed', { cause })]) {
    log.error({ err }, 'b');
    const { stack, cause: inner } = (lines.at(-1) as { err: { stack: string; cause?: { stack: string } } }).err;
    t.regex(inner?.stack ?? stack, /logger\.test\.ts/);
  }
});

test('a lone error gives the line its message', (t) => {
  const { log, lines } = recordingLogger();
  log.error(new Error('broken'));
  t.like(lines[0], { msg: 'broken', err: { message: 'broken' } });
});

test('a child says its fields on every line, without secrets', (t) => {
  const { log, lines } = recordingLogger();
  log
    .child({ topic: 'a', token: canary })
    .child({ url: `https://h/?q=${canary}` })
    .info('x');
  t.like(lines[0], { topic: 'a', msg: 'x' });
  t.false(JSON.stringify(lines).includes(canary));
});

test('messages, fields, errors and stacks are cut', (t) => {
  const { log, lines } = recordingLogger();
  const long = 'x'.repeat(1_000_000);
  log.error({ field: long, err: new Error(long, { cause: new Error(long) }) }, long);
  log.error('%s', long);
  log.error({ list: Array.from({ length: 10_000 }, () => 'x') }, 'many');
  for (const line of lines) t.true(JSON.stringify(line).length < 15_000);
  t.is(lines.length, 3);
});

const leaks: readonly ((log: ReturnType<typeof recordingLogger>['log'], secret: string) => void)[] = [
  (log, secret) => log.info({ password: secret }, 'a'),
  (log, secret) => log.info({ deep: [{ headers: { Authorization: secret } }] }, 'a'),
  (log, secret) => log.info(`GET https://u:${secret}@h/?t=${secret}`),
  (log, secret) => log.info('calling %s with %o', `https://h/?t=${secret}`, { token: secret }),
  (log, secret) => log.error(new Error(`https://h/?t=${secret}`)),
  (log, secret) => log.error({ err: new Error('x', { cause: new Error(`https://h/?t=${secret}`) }) }, 'a'),
  (log, secret) => log.error({ err: Object.assign(new Error('x'), { options: { password: secret } }) }, 'a'),
  (log, secret) => log.error({ other: Object.assign(new Error('x'), { response: { body: secret } }) }, 'a'),
  (log, secret) => log.error({ err: new RelayError('internal', { details: { client_secret: secret } }) }, 'a'),
  (log, secret) => log.error({ body: Buffer.from(secret) }, 'a'),
  (log, secret) => log.child({ api_key: secret }).warn('a'),
];

testProp(
  'no way of logging prints a secret',
  [fc.constantFrom(...leaks), fc.stringMatching(/^[A-Za-z0-9]{8,30}$/)],
  (t, leak, random) => {
    const { log, lines } = recordingLogger();
    leak(log, canary + random);
    t.is(lines.length, 1);
    t.false(JSON.stringify(lines).includes(canary));
  },
);
