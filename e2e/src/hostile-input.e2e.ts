import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { usageOf } from './bench/proc.ts';
import { run } from './harness/product.ts';
import { envelope, event, post, stored, storedNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';
import { oneMachine, type Product, type Running } from './harness/ways.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const other = 'bbbbbbbb-0000-4000-8000-000000000002';
const MiB = 1_048_576;

const running = async (
  t: ExecutionContext,
  env: Readonly<Record<string, string>> = {},
): Promise<{ here: Product; up: Running }> => {
  const here = await oneMachine.install(t, [park, other]);
  return { here, up: await here.up(env) };
};

const residentMiB = ({ child }: Running): number => usageOf(child.pid ?? 0).rssBytes / MiB;

const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status;

/** Sends head and start of a request over a raw socket and gives what comes back first. */
const rawAnswer = (here: Product, head: string, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { port, pathname } = new URL(here.webhookUrl);
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `POST ${pathname}?integration_id=${park} HTTP/1.1\r\nhost: x\r\nx-outbound-auth-token: ${here.token}\r\n${head}\r\n\r\n${body}`,
      ),
    );
    socket.once('data', (data) => {
      resolve(String(data));
      socket.destroy();
    });
    socket.on('error', reject);
  });

test.serial('hostile bodies get a defined answer, lose no neighbour, and leave the process well', async (t) => {
  const { here, up } = await running(t);
  const slow = rawAnswer(here, 'content-length: 1000', '{"Events":[');

  const bad: readonly (readonly [name: string, body: string | Uint8Array])[] = [
    ['empty', ''],
    ['not JSON', 'hello'],
    ['truncated', envelope(event(1)).slice(0, 60)],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['20,000 levels deep', `{"Events":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['no Events', '{}'],
  ];
  for (const [name, body] of bad) {
    const answer = await post(here, park, body);
    t.is(answer.status, 200, name);
    const result = (await answer.json()) as { total_observations: number; rejected: { index: unknown }[] };
    t.is(result.total_observations, 0, name);
    t.is(result.rejected[0]?.index, null, name);
  }

  const polluting = JSON.stringify(event(2)).replace('{', '{"__proto__":{"imei":1},');
  const polluted = `{"__proto__":{"polluted":1},"Events":[${polluting}]}`;
  t.is(await statusOf(post(here, park, polluted)), 200);
  t.is(await statusOf(post(here, park, envelope(event(3), { nonsense: true }, event(4)))), 200);
  const large = post(here, park, Buffer.alloc(17 * MiB, 0x20)).catch(() => new Response(null, { status: 413 }));
  t.is(await statusOf(large), 413);
  t.is(await statusOf(post(here, park, envelope(...Array.from({ length: 10_001 }, (_, n) => event(n))))), 413);
  t.is(await statusOf(post(here, park, gzipSync(envelope(event(5))), { 'content-encoding': 'gzip' })), 415);
  const dirty = { messageCode: 3, freeText: 'a\u0000b\uD83D', transportMode: `${'x'.repeat(199)}😀` };
  t.is(await statusOf(post(here, park, envelope(event(7, dirty)))), 200);
  const chunk = envelope(event(6));
  const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`;
  t.regex(await rawAnswer(here, 'transfer-encoding: chunked', chunks), /^HTTP\/1\.1 200/);
  t.regex(await slow, /^HTTP\/1\.1 408/);

  await untilStored(here, park, 6);
  t.deepEqual(await storedNumbers(here, park), [2, 3, 4, 7, 6]);
  const messages = (await stored(here, park)).filter(({ kind }) => kind === 'message');
  const texts = messages.map(({ item }) => item.text);
  t.deepEqual(texts, ['ab\uFFFD']);
  t.is(up.child.exitCode, null);
  t.true(residentMiB(up) < 600, `${residentMiB(up).toFixed(0)} MiB`);
});

/** Sends a body of so many MiB in chunks, without a length; resolves with the answer's status, whenever it comes. */
const sendChunked = (here: Product, sizeMiB: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port, pathname } = new URL(here.webhookUrl);
    const chunk = Buffer.concat([Buffer.from(`${MiB.toString(16)}\r\n`), Buffer.alloc(MiB, 0x20), Buffer.from('\r\n')]);
    let answer = '';
    const done = (): void => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0));
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        `POST ${pathname}?integration_id=${park} HTTP/1.1\r\nhost: x\r\nx-outbound-auth-token: ${here.token}\r\n` +
          'transfer-encoding: chunked\r\n\r\n',
      );
      for (let sent = 0; sent < sizeMiB; sent += 1) socket.write(chunk);
      socket.write('0\r\n\r\n');
    });
    socket.on('data', (data) => {
      answer += String(data);
      if (!answer.includes('\r\n\r\n')) return;
      done();
      socket.destroy();
    });
    // The product may close while it is still being written to; what it answered first counts.
    socket.on('error', (error) => (answer === '' ? reject(error) : done()));
    socket.on('close', done);
  });

test.serial('many bodies over the limit, none with a length, are cut off and leave memory bounded', async (t) => {
  const { here, up } = await running(t, { WEBHOOK_MAX_BYTES_PER_MINUTE: String(1_024 * MiB) });
  const statuses = await Promise.all(Array.from({ length: 12 }, () => sendChunked(here, 17)));
  // Together they exceed the limit of all bodies, so some are asked to retry.
  for (const status of statuses) t.true([413, 503].includes(status), statuses.join());
  t.true(statuses.includes(413));
  t.is(await sendChunked(here, 17), 413);
  t.is(await sendChunked(here, 200), 413);
  t.is((await post(here, park, envelope(event(1)))).status, 200);
  await untilStored(here, park, 1);
  t.is(up.child.exitCode, null);
  t.true(residentMiB(up) < 400, `${residentMiB(up).toFixed(0)} MiB`);
});

test.serial(
  'what cannot be read is named and kept: one event of three, and bodies that are refused with 422',
  async (t) => {
    const { here } = await running(t, { WEBHOOK_INVALID_BODY: 'reject' });
    const broken = event(2, { timeStamp: 'once upon a time' });
    const answer = await post(here, park, envelope(event(1), broken, event(3)));
    t.is(answer.status, 200);
    t.like(await answer.json(), { total_observations: 2, rejected: [{ index: 1, code: 'bad_time' }] });
    await untilStored(here, park, 2);
    t.deepEqual(await storedNumbers(here, park), [1, 3]);
    const dlq = async (...args: readonly string[]): Promise<string> =>
      (await run(['dlq', ...args, '--output', 'json'], here.env)).stdout;
    const id = /"id":\s*"([^"]+)"/.exec(await dlq('list'))?.[1] ?? '';
    const shown = await dlq('show', id);
    const body = /"body_base64":\s*"([^"]+)"/.exec(shown)?.[1] ?? '';
    t.deepEqual(JSON.parse(String(Buffer.from(body, 'base64'))), { Version: '3.0', Events: [broken] });
    t.regex(shown, /"rejected":\s*\{\s*"bad_time":\s*\[\s*1\s*\]/);

    const bodies = async (): Promise<number> => (await dlq('list')).match(/"kind":\s*"webhook_body"/g)?.length ?? 0;
    const before = await bodies();
    for (const each of ['', '[]', '{"Events":{}}', Buffer.from([0xff, 0xfe])])
      t.is(await statusOf(post(here, park, each)), 422);
    await until('four bodies are kept', async () => (await bodies()) === before + 4);
    t.is(await statusOf(post(here, park, envelope(event(1)))), 200);
  },
);

test.serial(
  'callers without a token of their integration, and integrations that are unknown or off, get what the contract says',
  async (t) => {
    const [gone, off] = ['cccccccc-0000-4000-8000-000000000003', 'dddddddd-0000-4000-8000-000000000004'];
    const here = await oneMachine.install(t, [park, other, gone, off]);
    await here.platform.control('DELETE', `integrations/${gone}`);
    await here.platform.control('POST', `integrations/${off}`, { enabled: false });
    const tokensFile = join(here.dir, 'own-tokens.json');
    const tokens = {
      [park]: ['own-token-a1', 'own-token-a2'],
      [other]: ['own-token-b'],
      [gone]: ['token-gone'],
      [off]: ['token-off'],
    };
    writeFileSync(tokensFile, JSON.stringify(tokens));
    await here.up({ WEBHOOK_TOKENS_FILE: tokensFile });
    const body = envelope(event(1));
    const withToken = (token: string, id: string): Promise<number> => statusOf(post({ ...here, token }, id, body));
    for (const token of ['own-token-a1', 'own-token-a2']) t.is(await withToken(token, park), 200);
    t.is(await withToken('own-token-b', other), 200);
    t.is(await withToken('own-token-b', park), 401);
    t.is(await withToken('own-token-a1', other), 401);
    t.is(await withToken('own-token-a1', 'eeeeeeee-0000-4000-8000-000000000005'), 401);
    t.is(await withToken(here.token, park), 401);
    t.is(await statusOf(fetch(`${here.webhookUrl}?integration_id=${park}`, { method: 'POST', body })), 401);
    const headers = { 'x-outbound-auth-token': 'own-token-a1' };
    t.is(await statusOf(fetch(here.webhookUrl, { method: 'POST', body, headers })), 404);
    t.is(await withToken('token-gone', gone), 404);
    const answer = await post({ ...here, token: 'token-off' }, off, body);
    t.is(answer.status, 200);
    t.like(await answer.json(), { total_observations: 0, total_messages: 0 });
  },
);
