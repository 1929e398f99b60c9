import { gzipSync } from 'node:zlib';
import test from 'ava';
import { body, wire } from './test/events.ts';
import { headOf, openConnection } from './test/socket.ts';
import { post, start, harness } from './test/harness.ts';

for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'GZIP', 'x-made-up', 'gzip, identity'])
  test(`a body encoded with ${encoding} is refused`, async (t) => {
    const w = harness(t);
    const content = new Uint8Array(gzipSync(body([wire()])));
    const { status, json } = await post(w, content, { headers: { 'content-encoding': encoding } });
    t.is(status, 415);
    t.like(json, { detail: { code: 'body_encoded' } });
    t.is(w.bus.published.length, 0);
  });

test('gzip without the header is a body that is not JSON', async (t) => {
  const w = harness(t);
  const { status, json } = await post(w, new Uint8Array(gzipSync(body([wire()]))));
  t.is(status, 200);
  t.like(json, { rejected: [{ index: null, code: 'invalid_json' }] });
});

for (const coding of ['gzip, chunked', 'gzip,chunked', 'deflate, chunked'])
  test(`a body whose transfer is coded as ${coding} is refused`, async (t) => {
    const w = harness(t);
    const connection = await openConnection(t, await start(t, w));
    const packed = gzipSync(body([wire()]));
    connection.write(headOf({ 'transfer-encoding': coding }));
    connection.write(`${packed.length.toString(16)}\r\n`);
    connection.write(packed);
    connection.write('\r\n0\r\n\r\n');
    t.regex(await connection.received(/\}$/), /^HTTP\/1.1 415 /);
    t.is(w.bus.published.length, 0);
  });
