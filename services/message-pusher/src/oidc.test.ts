import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { appHarness } from './test/app-harness.ts';
import { startIssuer, tokenOf } from './test/issuer.ts';
import { imeiA } from './test/harness.ts';

test('with AUTH_MODE=oidc tokens of the issuer are taken, and no others', async (t) => {
  const { issuer, privateKey } = await startIssuer(t);
  const service = { INTEGRATION_SERVICE_URL: 'https://pusher.example', AUTH_OIDC_SERVICE_ACCOUNT: 'a@b.example' };
  const w = await appHarness(t, [], { AUTH_MODE: 'oidc', AUTH_OIDC_ISSUER: issuer, ...service });
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const claims = { iss: issuer, aud: 'https://pusher.example', email: 'a@b.example', email_verified: true, exp };
  const pushed = async (token: string): Promise<number> =>
    (await w.push([imeiA], {}, { authorization: `Bearer ${token}` })).status;
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  t.is(await pushed('right-token'), 401);
  t.is(await pushed(tokenOf({ ...claims, aud: 'https://other.example' }, privateKey)), 401);
  t.is(await pushed(tokenOf(claims, stranger)), 401);
  t.deepEqual(w.vendor.texts, []);
  t.is(await pushed(tokenOf(claims, privateKey)), 200);
  t.deepEqual(w.vendor.texts, [imeiA]);
});
