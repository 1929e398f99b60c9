import { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpRequest } from '@ranger-relay/http';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';

/** The issuer of the tests. */
export const issuer = 'https://issuer.example';

/** A pair of keys with its name. */
export interface Pair {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** Makes a pair of keys. */
export const pairOf = async (kid: string, alg = 'ES256'): Promise<Pair> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
};

/** A token signed by a pair. */
export const tokenOf = (pair: Pair, claims: JWTPayload, header: object = {}): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: pair.alg, kid: pair.kid, ...header }).sign(pair.privateKey);

const answerWith = (status: number, body: unknown): HttpAnswer => ({
  status,
  headers: {},
  body: new Uint8Array(),
  target: 'GET issuer.example/path',
  retryAfterMs: undefined,
  json: () => body,
  excerpt: () => '',
});

/** An identity provider behind a faked client. */
export const fakeProvider = (pairs: readonly Pair[]) => {
  const provider = {
    pairs,
    down: false,
    /** Status of every answer. */
    status: 200,
    /** What it calls itself. */
    name: issuer,
    /** Keys beside those of the pairs. */
    more: [] as readonly unknown[],
    requests: [] as string[],
    /** Answers wait for it. */
    gate: Promise.resolve(),
    http: {
      async request({ url }: HttpRequest): Promise<HttpAnswer> {
        provider.requests.push(url);
        await provider.gate;
        if (provider.down) throw new RelayError('http_connect', { details: { target: url, reason: 'test' } });
        return url.endsWith('/.well-known/openid-configuration')
          ? answerWith(provider.status, { issuer: provider.name, jwks_uri: 'https://keys.example/certs' })
          : answerWith(provider.status, { keys: [...provider.pairs.map(({ jwk }) => jwk), ...provider.more] });
      },
    },
  };
  return provider;
};
