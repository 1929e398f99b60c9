import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { envelope, event, post, stored, storedNumbers, untilStored } from './harness/traffic.ts';
import { oneMachine, type Product, type Running } from './harness/ways.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const other = 'bbbbbbbb-0000-4000-8000-000000000002';
const MiB = 1_048_576;

const running = async (t: ExecutionContext): Promise<{ here: Product; up: Running }> => {
  const here = await oneMachine.install(t, [park, other]);
  return { here, up: await here.up() };
};

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

  t.is(
    await statusOf(
      post(
        here,
        park,
        `{"__proto__":{"polluted":1},"Events":[${JSON.stringify(event(2)).replace('{', '{"__proto__":{"imei":1},')}]}`,
      ),
    ),
    200,
  );
  t.is(await statusOf(post(here, park, envelope(event(3), { nonsense: true }, event(4)))), 200);
  t.is(
    await statusOf(post(here, park, Buffer.alloc(17 * MiB, 0x20)).catch(() => new Response(null, { status: 413 }))),
    413,
  );
  t.is(await statusOf(post(here, park, envelope(...Array.from({ length: 10_001 }, (_, n) => event(n))))), 413);
  t.is(await statusOf(post(here, park, gzipSync(envelope(event(5))), { 'content-encoding': 'gzip' })), 415);
  const dirty = { messageCode: 3, freeText: 'a\u0000b\uD83D', transportMode: `${'x'.repeat(199)}😀` };
  t.is(await statusOf(post(here, park, envelope(event(7, dirty)))), 200);
  const chunk = envelope(event(6));
  t.regex(
    await rawAnswer(here, 'transfer-encoding: chunked', `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`),
    /^HTTP\/1\.1 200/,
  );
  t.regex(await slow, /^HTTP\/1\.1 408/);

  await untilStored(here, park, 6);
  t.deepEqual(await storedNumbers(here, park), [2, 3, 4, 7, 6]);
  const texts = (await stored(here, park)).filter(({ kind }) => kind === 'message');
  t.deepEqual(
    texts.map(({ item }) => (item as unknown as { text: string }).text),
    ['ab\uFFFD'],
  );
  t.is(up.child.exitCode, null);
  const pages = Number(readFileSync(`/proc/${String(up.child.pid)}/statm`, 'utf8').split(' ')[1]);
  t.true(pages * 4096 < 600 * MiB, `${Math.round((pages * 4096) / MiB)} MiB`);
});

test.serial(
  'callers without the right token, and integrations that are unknown or off, get what the contract says',
  async (t) => {
    const { here } = await running(t);
    const body = envelope(event(1));
    const withToken = (token: string, id: string): Promise<number> => statusOf(post({ ...here, token }, id, body));
    t.is(await statusOf(fetch(`${here.webhookUrl}?integration_id=${park}`, { method: 'POST', body })), 401);
    t.is(await withToken('wrong', park), 401);
    t.is(await withToken(here.token, 'cccccccc-0000-4000-8000-000000000003'), 401);
    t.is(
      await statusOf(
        fetch(here.webhookUrl, { method: 'POST', body, headers: { 'x-outbound-auth-token': here.token } }),
      ),
      404,
    );
    await here.platform.control('DELETE', `integrations/${other}`);
    t.is(await withToken(here.token, other), 404);
    await here.platform.control('POST', `integrations/${park}`, { enabled: false });
    const off = await post(here, park, body);
    t.is(off.status, 200);
    t.like(await off.json(), { total_observations: 0, total_messages: 0 });
  },
);
