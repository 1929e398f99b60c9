import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { createIssuerKeys, type KeyTools } from './issuer-keys.ts';
import type { VerifyToken } from './oidc.ts';

/** Signatures by a pair of keys; nothing that a public key alone could make. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];

/** Clocks may differ by so much, seconds. */
const toleranceS = 30;

class TokenRefused extends Error {}

/** Whose token it says it is, and by which key; nothing of it is believed yet. */
const claimed = (token: string): { readonly issuer: string; readonly kid: string } => {
  const { alg = '', kid } = decodeProtectedHeader(token);
  const { iss = '' } = decodeJwt(token);
  if (!algorithms.includes(alg)) throw new TokenRefused(`signatures by ${alg} are not taken`);
  if (kid === undefined) throw new TokenRefused('it names no key');
  return { issuer: iss, kid };
};

const has =
  (kid: string) =>
  ({ keys }: JSONWebKeySet): boolean =>
    keys.some((key) => key.kid === kid);

/**
 * Checks tokens by the keys that their issuers publish. The issuer must be one of those named; signature, beginning and end must hold.
 * @param issuers addresses that carry `/.well-known/openid-configuration`
 */
export const verifyByJwks = (issuers: readonly string[], tools: KeyTools): VerifyToken => {
  const byIssuer = new Map(issuers.map((issuer) => [issuer, createIssuerKeys(issuer, tools)]));
  return async (token) => {
    const { issuer, kid } = claimed(token);
    const keys = byIssuer.get(issuer);
    if (!keys) throw new TokenRefused('its issuer is not one that is taken');
    const set = await keys.keys(has(kid));
    const { payload } = await jwtVerify(token, createLocalJWKSet(set), {
      algorithms,
      issuer,
      clockTolerance: toleranceS,
      requiredClaims: ['exp'],
      currentDate: new Date(tools.clock.now()),
    });
    return payload;
  };
};
