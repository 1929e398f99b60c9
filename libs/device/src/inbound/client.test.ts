import test from 'ava';
import { createInbound, type InboundOptions } from './client.ts';
import { account, answering, device, failureIn, inboundFor, nobody, someText, talking } from './test/vendor.ts';

const send = (inbound: ReturnType<typeof inboundFor>, apiUrl: string) =>
  inbound.sendText(account(apiUrl), someText, device);

test('a text is one POST with Basic credentials and the body of the contract', async (t) => {
  const { apiUrl, calls } = await answering(t, { status: 200 });
  await send(inboundFor(t), `${apiUrl}/IPCInbound`);
  t.is(calls.length, 1);
  t.like(calls[0], { method: 'POST', path: '/IPCInbound/V1/Messaging.svc/Message' });
  t.like(calls[0]?.headers, {
    'content-type': 'application/json',
    authorization: `Basic ${Buffer.from('fieldteam:päss:wörd').toString('base64')}`,
  });
  t.deepEqual(JSON.parse(calls[0]?.body ?? ''), {
    Messages: [
      { Recipients: [device], Sender: 'ops@site.org', Timestamp: '/Date(1749033310000)/', Message: 'Return to camp' },
    ],
  });
});

test('a pingback is an empty object to its own path', async (t) => {
  const { apiUrl, calls } = await answering(t, { status: 200 });
  t.deepEqual(await inboundFor(t).pingback(account(apiUrl)), { kind: 'accepted', status: 200 });
  t.like(calls[0], { method: 'POST', path: '/IPCInbound/V1/Pingback.svc/PingbackRequest', body: '{}' });
});

test('every call has a connection of its own, so that no closing one is met', async (t) => {
  const { apiUrl, calls } = await answering(t, { status: 200 });
  const inbound = inboundFor(t);
  await send(inbound, apiUrl);
  await send(inbound, apiUrl);
  t.deepEqual(
    calls.map(({ headers }) => headers.connection),
    ['close', 'close'],
  );
});

test('a redirect is not followed', async (t) => {
  const other = await answering(t, { status: 200 });
  const { apiUrl } = await answering(t, { status: 307, headers: { location: other.apiUrl } });
  t.is((await send(inboundFor(t), apiUrl)).kind, 'transient');
  t.is(other.calls.length, 0);
});

test('a refused connection was not carried out', async (t) => {
  const failure = failureIn(t, await send(inboundFor(t), await nobody()));
  t.like(failure, { kind: 'transient', status: null, code: null, body: '' });
  t.is(failure.error.code, 'vendor_unreachable');
});

test('a peer that does not speak TLS was not asked anything', async (t) => {
  const { port } = await answering(t, { status: 200 });
  t.is((await send(inboundFor(t), `https://127.0.0.1:${port}`)).kind, 'transient');
});

test('no answer in time is ambiguous', async (t) => {
  const apiUrl = await talking(t, (socket) => socket.resume());
  const failure = failureIn(t, await send(inboundFor(t, { timeoutMs: 1_500 }), apiUrl));
  t.is(failure.kind, 'ambiguous');
  t.is(failure.error.code, 'vendor_answer_lost');
  t.true(failure.error.ambiguous);
});

test('a reset after sending, and half an answer, are ambiguous', async (t) => {
  const reset = await talking(t, (socket) => socket.once('data', () => socket.resetAndDestroy()));
  const half = await talking(t, (socket) => socket.once('data', () => socket.end('HTTP/1.1 20')));
  for (const apiUrl of [reset, half]) t.is((await send(inboundFor(t), apiUrl)).kind, 'ambiguous');
});

test('an answer that began with 2xx is an acceptance, whatever becomes of its body', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"cou';
  const cut = await talking(t, (socket) => socket.once('data', () => socket.end(head)));
  const stalled = await talking(t, (socket) => socket.once('data', () => socket.write(head)));
  t.deepEqual(await send(inboundFor(t), cut), { kind: 'accepted', status: 200 });
  t.like(await send(inboundFor(t, { timeoutMs: 1_500 }), stalled), { kind: 'accepted' });
  const { apiUrl } = await answering(t, { status: 202, body: 'x'.repeat(2_000_000) });
  t.like(await send(inboundFor(t), apiUrl), { kind: 'accepted', status: 202 });
  const unpacked = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 11\r\n\r\n{"count":1}';
  const encoded = await talking(t, (socket) => socket.once('data', () => socket.end(unpacked)));
  t.like(await send(inboundFor(t), encoded), { kind: 'accepted', status: 200 });
});

test('an answer past the bound is ambiguous, not endless', async (t) => {
  const { apiUrl } = await answering(t, { status: 500, body: 'x'.repeat(2_000_000) });
  t.is((await send(inboundFor(t), apiUrl)).kind, 'ambiguous');
});

test('plain http outside the allowed networks, and private addresses, are refused for good before any call', async (t) => {
  const { apiUrl, calls } = await answering(t, { status: 200 });
  const strict = inboundFor(t, { allowedNetworks: [] });
  const refused = [
    [apiUrl, 'http_address_refused'],
    ['http://8.8.8.8', 'http_scheme_refused'],
  ] as const;
  for (const [url, code] of refused) {
    const failure = failureIn(t, await send(strict, url));
    t.is(failure.kind, 'permanent');
    t.is(failure.error.code, code);
  }
  t.is(calls.length, 0);
});

test('an address that cannot be used is permanent, without a call', async (t) => {
  const failure = failureIn(t, await send(inboundFor(t), 'ftp://host'));
  t.like(failure, { kind: 'permanent', url: undefined, status: null });
  t.is(failure.error.code, 'vendor_address_invalid');
});

test('a failure that nobody foresaw proves nothing, so it is ambiguous', async (t) => {
  const inbound = createInbound({ http: { request: () => Promise.reject(new Error('päss:wörd')) }, timeoutMs: 1 });
  const failure = failureIn(t, await send(inbound, 'https://host.example'));
  t.is(failure.kind, 'ambiguous');
  t.false(failure.error.message.includes('päss'));
});

test('a call has 10 s to connect and all of its limit to end', async (t) => {
  const asked: { connectMs?: number | undefined; totalMs?: number | undefined }[] = [];
  const http: InboundOptions['http'] = {
    request: async (request) => {
      asked.push(request);
      throw new Error('not sent');
    },
  };
  const call = createInbound({ http, timeoutMs: 60_000 }).pingback(account('https://vendor.example'));
  await call.catch(() => undefined);
  t.like(asked[0], { connectMs: 10_000, totalMs: 60_000 });
});
