import { cutText, RelayError, toRelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import { type Context, shareFlight } from '@ranger-relay/runtime';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, type JWK, jwtVerify } from 'jose';
import { z } from 'zod';
import type { VerifyToken } from './authenticate.ts';

/**
 * Returns the current public keys of one issuer.
 * @param known whether the keys include the wanted one; if not, they are fetched again, at most once a minute
 * @throws RelayError `identity_provider_unavailable`
 */
type IssuerKeys = (known: (keys: JSONWebKeySet) => boolean) => Promise<JSONWebKeySet>;

type KeyDependencies = Pick<Context, 'clock'> & { readonly http: Pick<HttpClient, 'request'> };

/** Maximum age of keys before they are fetched again, ms. */
const maxAgeMs = 3_600_000;
/** Minimum time between two fetches, ms. */
const pauseMs = 60_000;
/** Minimum time before a retry after a failed fetch, ms. */
const failedPauseMs = 5_000;
const callLimits = { connectMs: 3_000, totalMs: 5_000, maxBytes: 262_144 };
const maxKeys = 100;

const discoverySchema = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });
const keySetSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(maxKeys) });

/** Keeps only public keys of key pairs; a shared secret must never be accepted. */
const usable = ({ kty }: JWK): boolean => kty === 'RSA' || kty === 'EC';

const down = (issuer: string, reason: string, cause?: unknown): RelayError =>
  new RelayError('identity_provider_unavailable', { details: { issuer, reason }, cause });

const fetchKeys = async (issuer: string, http: KeyDependencies['http']): Promise<JSONWebKeySet> => {
  const read = async <T>(url: string, schema: z.ZodType<T>): Promise<T> => {
    const answer = await http.request({ method: 'GET', url, headers: { accept: 'application/json' }, ...callLimits });
    if (answer.status !== 200) throw down(issuer, `${answer.target} answered ${answer.status}`);
    const parsed = schema.safeParse(answer.json());
    if (parsed.success) return parsed.data;
    throw down(issuer, `${answer.target} gave an unexpected answer`);
  };
  const found = await read(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`, discoverySchema);
  if (found.issuer !== issuer) throw down(issuer, `it calls itself ${cutText(found.issuer, 200)}`);
  const { keys } = await read(found.jwks_uri, keySetSchema);
  return { keys: keys.filter(usable) };
};

// jose's own cache keeps no keys over an outage, asks a failing issuer at each call, and takes no clock.
/**
 * Caches the keys of an issuer, found through its discovery document. Concurrent callers share one fetch; cached keys are used while the
 * issuer is down.
 */
const createIssuerKeys = (issuer: string, { http, clock }: KeyDependencies): IssuerKeys => {
  let held: { readonly set: JSONWebKeySet; readonly at: number } | undefined;
  let failed: { readonly at: number; readonly error: RelayError } | undefined;

  const load = shareFlight(async (): Promise<JSONWebKeySet> => {
    try {
      const set = await fetchKeys(issuer, http);
      held = { set, at: clock.monotonic() };
      failed = undefined;
      return set;
    } catch (thrown) {
      const cause = toRelayError(thrown);
      const error = cause.code === 'identity_provider_unavailable' ? cause : down(issuer, cause.message, cause);
      failed = { at: clock.monotonic(), error };
      throw error;
    }
  });

  const again = (): Promise<JSONWebKeySet> => {
    if (failed && clock.monotonic() - failed.at < failedPauseMs) return Promise.reject(failed.error);
    return load();
  };

  return async (known) => {
    const present = held;
    if (!present) return again();
    const age = clock.monotonic() - present.at;
    if (known(present.set)) return age < maxAgeMs ? present.set : again().catch(() => present.set);
    return age < pauseMs ? present.set : again();
  };
};

/** Asymmetric signature algorithms only, so that a public key cannot forge a signature. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];

/** Accepted clock skew, seconds. */
const toleranceS = 30;

class TokenRefused extends Error {}

/** Reads the claimed issuer and key id of a token, before any verification. */
const claimed = (token: string): { readonly issuer: string; readonly kid: string } => {
  const { alg = '', kid } = decodeProtectedHeader(token);
  const { iss = '' } = decodeJwt(token);
  if (!algorithms.includes(alg)) throw new TokenRefused(`signatures by ${alg} are not accepted`);
  if (kid === undefined) throw new TokenRefused('it names no key');
  return { issuer: iss, kid };
};

const has =
  (kid: string) =>
  ({ keys }: JSONWebKeySet): boolean =>
    keys.some((key) => key.kid === kid);

/**
 * Verifies tokens with the keys that their issuers publish. The issuer must be an accepted one; the signature and the validity period must
 * be valid.
 * @param issuers addresses that serve `/.well-known/openid-configuration`
 */
export const verifyByJwks = (issuers: readonly string[], tools: KeyDependencies): VerifyToken => {
  const byIssuer = new Map(issuers.map((issuer) => [issuer, createIssuerKeys(issuer, tools)]));
  return async (token) => {
    const { issuer, kid } = claimed(token);
    const keysOf = byIssuer.get(issuer);
    if (!keysOf) throw new TokenRefused('its issuer is not accepted');
    const set = await keysOf(has(kid));
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
