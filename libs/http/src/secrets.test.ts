import { inspect } from 'node:util';
import { RelayError } from '@ranger-relay/errors';
import { recordingLogger } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import type { HttpRequest } from './port.ts';
import { clientFor, unusedPort, serveHttp, serveTcp } from './testing/loopback.ts';

const canary = 'c4n4ry-s3cr3t';

const requestTo = (place: string): HttpRequest => ({
  method: 'POST',
  url: `http://user:${canary}@${place}/path?apikey=${canary}`,
  headers: { authorization: `Bearer ${canary}`, apikey: canary, 'x-other': canary },
  json: { password: canary, text: canary },
  totalMs: 60,
});

const everySide = (error: unknown): string => {
  const { log, lines } = recordingLogger();
  log.error({ err: error }, 'failed');
  const shown =
    error instanceof Error ? [error.message, error.stack, JSON.stringify(Object.getOwnPropertyNames(error))] : [];
  return [...shown, JSON.stringify(error), inspect(error, { depth: 20, showHidden: true }), JSON.stringify(lines)].join(
    '\n',
  );
};

const noneIn = async (t: ExecutionContext, place: string, more: Partial<HttpRequest> = {}): Promise<void> => {
  const error = await t.throwsAsync(clientFor(t).request({ ...requestTo(place), ...more }), { instanceOf: RelayError });
  t.false(everySide(error).includes(canary), error.code);
  t.is(error.cause, undefined);
};

test('a refused connection shows no secret', async (t) => noneIn(t, `127.0.0.1:${await unusedPort()}`));

test('a timeout shows no secret', async (t) =>
  noneIn(t, `127.0.0.1:${await serveTcp(t, (socket) => socket.resume())}`));

test('a reset shows no secret', async (t) =>
  noneIn(t, `127.0.0.1:${await serveTcp(t, (socket) => socket.once('data', () => socket.resetAndDestroy()))}`));

test('an answer that is too large or no HTTP shows no secret', async (t) => {
  const large = await serveHttp(t, (_, answer) => answer.end(canary.repeat(100)));
  await noneIn(t, `127.0.0.1:${large}`, { maxBytes: 10 });
  const garbage = await serveTcp(t, (socket) => socket.once('data', () => socket.end(`${canary}\r\n\r\n`)));
  await noneIn(t, `127.0.0.1:${garbage}`);
});

test('a refused address shows no secret', async (t) => {
  await noneIn(t, '10.0.0.1');
  await noneIn(t, '8.8.8.8');
});

test('a header that cannot be sent shows no secret', async (t) =>
  noneIn(t, '127.0.0.1:9', { headers: { authorization: `${canary}\r\nx: y` } }));

test('an answer that repeats the request’s secrets does not show them', async (t) => {
  const port = await serveHttp(t, (_, answer) =>
    answer.writeHead(400).end(`<p>bad key ${canary}</p>\n<a href="https://x:${canary}@host/?token=${canary}">`),
  );
  const answer = await clientFor(t).request({ ...requestTo(`127.0.0.1:${port}`), totalMs: 5_000 });
  t.false(answer.excerpt(2_000).includes(canary));
  t.false(answer.target.includes(canary));
  t.false(inspect({ ...answer, body: null }, { depth: 9 }).includes(canary));
});
