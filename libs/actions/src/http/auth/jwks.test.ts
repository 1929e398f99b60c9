import { isRelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { base64url, exportSPKI, importJWK, SignJWT, UnsecuredJWT, type CryptoKey } from 'jose';
import { fakeProvider, issuer, pairOf, tokenOf } from '../../test/provider.ts';
import { verifyByJwks } from './jwks.ts';
import { oidcAuth } from './authenticate.ts';

const pair = await pairOf('key-1');
const rsa = await pairOf('key-rsa', 'RS256');
const stranger = await pairOf('key-1');
const next = await pairOf('key-2');
const audience = 'https://service.example';
const nowS = Date.UTC(2026, 0, 1) / 1_000;
const claims = { iss: issuer, aud: audience, email: 'a@b.c', email_verified: true, iat: nowS, exp: nowS + 3_600 };

const open = (pairs = [pair, rsa]) => {
  const clock = manualClock();
  const provider = fakeProvider(pairs);
  const verify = verifyByJwks([issuer], { http: provider.http, clock });
  const may = oidcAuth({ verify, issuers: [issuer], audience, serviceAccounts: ['a@b.c'] });
  return { clock, provider, may: (token: string) => may(`Bearer ${token}`) };
};

test('a token that is signed by a key of the issuer, for this service, is taken', async (t) => {
  const { may, provider } = open();
  t.true(await may(await tokenOf(pair, claims)));
  t.true(await may(await tokenOf(rsa, { ...claims, aud: ['other', `${audience}/`] })));
  t.deepEqual(provider.requests, [`${issuer}/.well-known/openid-configuration`, 'https://keys.example/certs']);
});

const wrong: [string, object][] = [
  ['of another issuer', { iss: 'https://other.example' }],
  ['without an issuer', { iss: undefined }],
  ['for another service', { aud: 'https://other.example' }],
  ['of another service account', { email: 'x@b.c' }],
  ['of an account that is not verified', { email_verified: false }],
  ['that has expired', { exp: nowS - 31 }],
  ['that never expires', { exp: undefined }],
  ['that is not valid yet', { nbf: nowS + 31 }],
];
for (const [what, parts] of wrong)
  test(`a token ${what} is refused`, async (t) => {
    t.false(await open().may(await tokenOf(pair, { ...claims, ...parts })));
  });

test('clocks that differ by half a minute make no difference', async (t) => {
  const { may } = open();
  t.true(await may(await tokenOf(pair, { ...claims, exp: nowS - 29 })));
  t.true(await may(await tokenOf(pair, { ...claims, nbf: nowS + 29 })));
});

test('time passes: a token that was taken is refused after its end', async (t) => {
  const { may, clock } = open();
  const token = await tokenOf(pair, claims);
  t.true(await may(token));
  await clock.advance(3_631_000);
  t.false(await may(token));
});

test('a token that is not signed is refused', async (t) => {
  const { may } = open();
  t.false(await may(new UnsecuredJWT(claims).encode()));
  const none = `${base64url.encode(JSON.stringify({ alg: 'none', kid: 'key-1' }))}.${base64url.encode(JSON.stringify(claims))}.`;
  t.false(await may(none));
});

test('a token that is signed with the public key as a shared secret is refused', async (t) => {
  const { may } = open();
  const pem = await exportSPKI((await importJWK(rsa.jwk)) as CryptoKey);
  for (const secret of [pem, JSON.stringify(rsa.jwk)]) {
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: rsa.kid })
      .sign(new TextEncoder().encode(secret.padEnd(32)));
    t.false(await may(token));
  }
});

test('a shared secret among the published keys is never used', async (t) => {
  const { may, provider } = open();
  const secret = new Uint8Array(32).fill(7);
  provider.more = [{ kty: 'oct', kid: 'shared', alg: 'HS256', k: base64url.encode(secret) }];
  t.false(await may(await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'shared' }).sign(secret)));
});

test('another’s key under a known name, a changed body and what is no token are refused', async (t) => {
  const { may } = open();
  t.false(await may(await tokenOf(stranger, claims)));
  const [head, , signature] = (await tokenOf(pair, claims)).split('.');
  t.false(await may(`${head}.${base64url.encode(JSON.stringify({ ...claims, admin: true }))}.${signature}`));
  for (const none of ['x', 'a.b.c', '..']) t.false(await may(none), none);
  t.false(await may(await tokenOf(pair, claims, { kid: undefined })));
});

test('nothing is fetched for a token of an issuer that is not named, or of a kind that is not taken', async (t) => {
  const { may, provider } = open();
  await may(await tokenOf(pair, { ...claims, iss: 'https://attacker.example' }));
  await may(new UnsecuredJWT(claims).encode());
  t.deepEqual(provider.requests, []);
});

test('a rotated key is fetched when its first token comes', async (t) => {
  const { may, provider, clock } = open();
  t.true(await may(await tokenOf(pair, claims)));
  provider.pairs = [next];
  await clock.advance(60_000);
  t.true(await may(await tokenOf(next, claims)));
  t.false(await may(await tokenOf(pair, claims)));
});

test('unknown keys make us ask at most once a minute', async (t) => {
  const { may, provider, clock } = open();
  await may(await tokenOf(pair, claims));
  const unknown = await tokenOf(next, claims);
  for (let n = 0; n < 20; n += 1) t.false(await may(unknown));
  t.is(provider.requests.length, 2);
  await clock.advance(60_000);
  for (let n = 0; n < 20; n += 1) t.false(await may(unknown));
  t.is(provider.requests.length, 4);
});

test('tokens that come together share one fetch', async (t) => {
  const { may, provider } = open();
  const gate = Promise.withResolvers<void>();
  provider.gate = gate.promise;
  const token = await tokenOf(pair, claims);
  const answers = Promise.all(Array.from({ length: 10 }, () => may(token)));
  gate.resolve();
  t.deepEqual(
    await answers,
    Array.from({ length: 10 }, () => true),
  );
  t.is(provider.requests.length, 2);
});

test('while the provider is down a caller is not refused but asked to come again, and it is not asked at each call', async (t) => {
  const { may, provider, clock } = open();
  provider.down = true;
  const token = await tokenOf(pair, claims);
  for (let n = 0; n < 5; n += 1) {
    const error = await t.throwsAsync(may(token));
    t.true(isRelayError(error, 'identity_provider_unavailable') && error.next === 'retry' && error.status === 503);
  }
  t.is(provider.requests.length, 1);
  provider.down = false;
  await clock.advance(5_000);
  t.true(await may(token));
});

test('known keys serve while the provider is down, and an unknown key is then not refused', async (t) => {
  const { may, provider, clock } = open();
  t.true(await may(await tokenOf(pair, claims)));
  provider.down = true;
  await clock.advance(3_600_000);
  const token = await tokenOf(pair, { ...claims, exp: nowS + 86_400 });
  t.true(await may(token));
  const error = await t.throwsAsync(may(await tokenOf(next, claims)));
  t.true(isRelayError(error, 'identity_provider_unavailable'));
});

for (const [what, change] of [
  ['answers 500', { status: 500 }],
  ['calls itself otherwise', { name: 'https://other.example' }],
  ['publishes no keys', { more: ['x'] }],
  ['publishes a flood of keys', { more: Array.from({ length: 200 }, () => ({ kty: 'EC' })) }],
] as [string, object][])
  test(`a provider that ${what} is as good as down`, async (t) => {
    const { may, provider } = open();
    Object.assign(provider, change);
    const error = await t.throwsAsync(may(await tokenOf(pair, claims)));
    t.true(isRelayError(error, 'identity_provider_unavailable'));
  });
