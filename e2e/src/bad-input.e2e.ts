import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from './harness/product.ts';
import { envelope, event, post, storedNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';
import { endServers, oneMachine, ways, type Product, type Running, type Way } from './harness/ways.ts';

const parkA = 'aaaaaaaa-0000-4000-8000-000000000001';
const parkB = 'bbbbbbbb-0000-4000-8000-000000000002';
const MiB = 1_048_576;

test.after.always(endServers);

const installed = (t: ExecutionContext, way: Way): Promise<Product> => way.install(t, [parkA, parkB]);

const residentMiB = ({ child }: Running): number =>
  (Number(readFileSync(`/proc/${String(child.pid)}/statm`, 'utf8').split(' ')[1]) * 4096) / MiB;

/** Sends a body of so many MiB in chunks, without a length; resolves with the answer's status, whenever it comes. */
const sendChunked = (here: Product, sizeMiB: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port, pathname } = new URL(here.webhookUrl);
    const chunk = Buffer.concat([Buffer.from(`${MiB.toString(16)}\r\n`), Buffer.alloc(MiB, 0x20), Buffer.from('\r\n')]);
    let answer = '';
    const done = (): void => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0));
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        `POST ${pathname}?integration_id=${parkA} HTTP/1.1\r\nhost: x\r\nx-outbound-auth-token: ${here.token}\r\n` +
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
  const here = await installed(t, oneMachine);
  const up = await here.up({ WEBHOOK_MAX_BYTES_PER_MINUTE: String(1_024 * MiB) });
  const statuses = await Promise.all(Array.from({ length: 12 }, () => sendChunked(here, 17)));
  // Together they exceed the limit of all bodies, so some are asked to retry.
  for (const status of statuses) t.true([413, 503].includes(status), statuses.join());
  t.true(statuses.includes(413));
  t.is(await sendChunked(here, 17), 413);
  t.is(await sendChunked(here, 200), 413);
  t.is((await post(here, parkA, envelope(event(1)))).status, 200);
  await untilStored(here, parkA, 1);
  t.is(up.child.exitCode, null);
  t.true(residentMiB(up) < 400, `${residentMiB(up).toFixed(0)} MiB`);
});

for (const way of ways)
  test.serial(`${way.name}: of three events the bad one is named and kept, its neighbours arrive`, async (t) => {
    const here = await installed(t, way);
    await here.up();
    const broken = event(2, { timeStamp: 'once upon a time' });
    const answer = await post(here, parkA, envelope(event(1), broken, event(3)));
    t.is(answer.status, 200);
    t.like(await answer.json(), { total_observations: 2, rejected: [{ index: 1, code: 'bad_time' }] });
    await untilStored(here, parkA, 2);
    t.deepEqual(await storedNumbers(here, parkA), [1, 3]);
    const { stdout } = await run(['dlq', 'list', '--output', 'json'], here.env);
    const id = /"id":\s*"([^"]+)"/.exec(stdout)?.[1] ?? '';
    const shown = await run(['dlq', 'show', id, '--output', 'json'], here.env);
    const body = /"body_base64":\s*"([^"]+)"/.exec(shown.stdout)?.[1] ?? '';
    t.deepEqual(JSON.parse(String(Buffer.from(body, 'base64'))), { Version: '3.0', Events: [broken] });
    t.regex(shown.stdout, /"rejected":\s*\{\s*"bad_time":\s*\[\s*1\s*\]/);
  });

test.serial('a body that is no envelope can be refused with 422; it is kept all the same', async (t) => {
  const here = await installed(t, oneMachine);
  await here.up({ WEBHOOK_INVALID_BODY: 'reject' });
  for (const body of ['', '[]', '{"Events":{}}', Buffer.from([0xff, 0xfe])])
    t.is((await post(here, parkA, body)).status, 422);
  const letters = async (): Promise<boolean> => {
    const { stdout } = await run(['dlq', 'list', '--output', 'json'], here.env);
    return [...stdout.matchAll(/"kind":\s*"webhook_body"/g)].length === 4;
  };
  await until('four bodies are kept', letters);
  t.is((await post(here, parkA, envelope(event(1)))).status, 200);
});

test.serial('a token is good for its own integration alone, and several are good at once', async (t) => {
  const here = await installed(t, oneMachine);
  const tokensFile = join(here.dir, 'own-tokens.json');
  writeFileSync(tokensFile, JSON.stringify({ [parkA]: ['own-token-a1', 'own-token-a2'], [parkB]: ['own-token-b'] }));
  await here.up({ WEBHOOK_TOKENS_FILE: tokensFile });
  const statusWith = async (token: string, park: string): Promise<number> =>
    (await post({ ...here, token }, park, envelope(event(1)))).status;
  t.is(await statusWith('own-token-a1', parkA), 200);
  t.is(await statusWith('own-token-a2', parkA), 200);
  t.is(await statusWith('own-token-b', parkB), 200);
  t.is(await statusWith('own-token-b', parkA), 401);
  t.is(await statusWith('own-token-a1', parkB), 401);
  t.is(await statusWith(here.token, parkA), 401);
});
