import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { readAddress } from './address.ts';

const accepted: Readonly<Record<string, readonly [identity: string, base: string]>> = {
  'park.example': ['park.example', 'https://park.example/api/v1.0/'],
  ' park.example/ ': ['park.example', 'https://park.example/api/v1.0/'],
  'park.example:8443': ['park.example:8443', 'https://park.example:8443/api/v1.0/'],
  'localhost:8080': ['localhost:8080', 'https://localhost:8080/api/v1.0/'],
  'https://park.example': ['park.example', 'https://park.example/api/v1.0/'],
  'HTTPS://Park.Example': ['park.example', 'https://park.example/api/v1.0/'],
  'https://park.example/api/v1.0/': ['park.example', 'https://park.example/api/v1.0/'],
  'park.example/api': ['park.example', 'https://park.example/api/v1.0/'],
  'https://api.example/api/v2.0/x?y=1#z': ['api.example', 'https://api.example/api/v1.0/'],
  'https://proxy.example/park/api/v1.0/': ['proxy.example/park', 'https://proxy.example/park/api/v1.0/'],
  'http://10.0.0.7:8000': ['10.0.0.7:8000', 'http://10.0.0.7:8000/api/v1.0/'],
  '[::1]:8000': ['[::1]:8000', 'https://[::1]:8000/api/v1.0/'],
};

for (const [text, [identity, base]] of Object.entries(accepted))
  test(`"${text}" is the interface ${base}`, (t) => {
    t.like(readAddress(text), { identity, base });
  });

test('the origin is what links begin with', (t) => {
  t.is(readAddress('park.example:8443/api/v1.0/').origin, 'https://park.example:8443');
  t.is(readAddress('proxy.example/park/api/v1.0/').origin, 'https://proxy.example/park');
});

for (const text of [
  '',
  '  ',
  'ftp://park.example',
  'file:///etc',
  'https://',
  'a b',
  'https://park.example/login',
  'x/apiary',
])
  test(`"${text}" is no address, and the error says how to write one`, (t) => {
    const error = t.throws(() => readAddress(text));
    t.true(isRelayError(error, 'site_address_invalid'));
    t.regex(error?.message ?? '', /write it as host, host:port or https:\/\/host/);
  });

test('an address with a password is refused without repeating it', (t) => {
  for (const text of ['https://me:hidden@park.example', 'me:hidden@park.example'])
    t.notRegex(t.throws(() => readAddress(text))?.message ?? 'hidden', /hidden/);
});
