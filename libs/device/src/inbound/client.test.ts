import test from 'ava';
import { createInbound, type InboundOptions } from './client.ts';
import { account, answering, device, failureIn, inboundFor, send } from './test/vendor.ts';

test('a text is one POST with Basic credentials and the body of the contract', async (t) => {
  const { origin, requests } = await answering(t, { status: 200 });
  await send(inboundFor(t), `${origin}/IPCInbound`);
  t.is(requests.length, 1);
  t.like(requests[0], { method: 'POST', url: '/IPCInbound/V1/Messaging.svc/Message' });
  t.like(requests[0]?.headers, {
    'content-type': 'application/json',
    authorization: `Basic ${Buffer.from('fieldteam:päss:wörd').toString('base64')}`,
  });
  t.deepEqual(JSON.parse(requests[0]?.body ?? ''), {
    Messages: [
      { Recipients: [device], Sender: 'ops@site.org', Timestamp: '/Date(1749033310000)/', Message: 'Return to camp' },
    ],
  });
});

test('a pingback is an empty object to its own path', async (t) => {
  const { origin, requests } = await answering(t, { status: 200 });
  t.deepEqual(await inboundFor(t).pingback(account(origin)), { kind: 'accepted', status: 200 });
  t.like(requests[0], { method: 'POST', url: '/IPCInbound/V1/Pingback.svc/PingbackRequest', body: '{}' });
});

test('a redirect is not followed', async (t) => {
  const other = await answering(t, { status: 200 });
  const { origin } = await answering(t, { status: 307, headers: { location: other.origin } });
  t.is((await send(inboundFor(t), origin)).kind, 'transient');
  t.is(other.requests.length, 0);
});

test('an answer past the bound is ambiguous, not endless', async (t) => {
  const { origin } = await answering(t, { status: 500, body: 'x'.repeat(2_000_000) });
  t.is((await send(inboundFor(t), origin)).kind, 'ambiguous');
});

test('plain http outside the allowed networks, and private addresses, are refused for good before any call', async (t) => {
  const { origin, requests } = await answering(t, { status: 200 });
  const strict = inboundFor(t, { allowedNetworks: [] });
  const refused = [
    [origin, 'http_address_refused'],
    ['http://8.8.8.8', 'http_scheme_refused'],
  ] as const;
  for (const [url, code] of refused) {
    const failure = failureIn(t, await send(strict, url));
    t.is(failure.kind, 'permanent');
    t.is(failure.error.code, code);
  }
  t.is(requests.length, 0);
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
