import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { inboundBase, readInboundConfig } from './config.ts';

const good: readonly (readonly [written: string, base: string])[] = [
  ['inbound.vendor.example', 'https://inbound.vendor.example'],
  ['inbound.vendor.example/', 'https://inbound.vendor.example'],
  ['inbound.vendor.example/IPCInbound', 'https://inbound.vendor.example'],
  ['https://inbound.vendor.example/IPCInbound/V1/Messaging.svc', 'https://inbound.vendor.example'],
  ['  https://inbound.vendor.example \n', 'https://inbound.vendor.example'],
  ['HTTPS://Inbound.Vendor.Example/', 'https://inbound.vendor.example'],
  ['https:/inbound.vendor.example', 'https://inbound.vendor.example'],
  ['//inbound.vendor.example/x', 'https://inbound.vendor.example'],
  ['inbound.vendor.example:8443/IPCInbound', 'https://inbound.vendor.example:8443'],
  ['https://inbound.vendor.example:443', 'https://inbound.vendor.example'],
  ['http://127.0.0.1:9000/IPCInbound/', 'http://127.0.0.1:9000'],
  ['http:8080', 'https://http:8080'],
  ['https://[::1]:9000/x', 'https://[::1]:9000'],
  ['https://inbound.vendor.example?key=1#x', 'https://inbound.vendor.example'],
  ['https://user:secret@inbound.vendor.example', 'https://inbound.vendor.example'],
  ['gärten.example', 'https://xn--grten-gra.example'],
];
for (const [written, base] of good)
  test(`${JSON.stringify(written)} is the service at ${base}`, (t) => {
    t.is(inboundBase(written), base);
  });

const bad: readonly (readonly [written: string, problem: RegExp])[] = [
  ['', /is empty/],
  ['   ', /is empty/],
  ['not an address', /cannot be read/],
  ['https://', /cannot be read/],
  ['https://host:99999', /cannot be read/],
  ['ftp://host', /neither https nor http/],
  ['file:///etc/passwd', /cannot be read|neither https nor http/],
  [`https://${'x'.repeat(2_000)}`, /longer than/],
];
for (const [written, problem] of bad)
  test(`${JSON.stringify(written.slice(0, 30))} is refused with what is wrong`, (t) => {
    const error = t.throws(() => inboundBase(written));
    t.true(isRelayError(error, 'vendor_address_invalid'));
    t.regex(error?.message ?? '', problem);
  });

test('a refused address is not repeated, it may hold credentials', (t) => {
  const error = t.throws(() => inboundBase('ftp://user:secret@host'));
  t.false(error?.message.includes('secret'));
});

const whole = { api_url: ' https://host ', username: 'ops', password: ' p ' };

test('an account is read; the address loses the blanks around it, the password keeps them', (t) => {
  t.deepEqual(readInboundConfig({ ...whole, other: 1 }), { apiUrl: 'https://host', username: 'ops', password: ' p ' });
});

const broken: readonly (readonly [data: unknown, field: string])[] = [
  [null, 'api_url'],
  [undefined, 'api_url'],
  ['text', 'api_url'],
  [{}, 'api_url'],
  [{ ...whole, api_url: '  ' }, 'api_url'],
  [{ ...whole, api_url: 5 }, 'api_url'],
  [{ ...whole, username: undefined }, 'username'],
  [{ ...whole, username: ' ' }, 'username'],
  [{ ...whole, password: '' }, 'password'],
  [{ ...whole, password: null }, 'password'],
];
for (const [data, field] of broken)
  test(`${JSON.stringify(data)} lacks ${field}`, (t) => {
    t.is<unknown, unknown>(readInboundConfig(data), field);
  });
