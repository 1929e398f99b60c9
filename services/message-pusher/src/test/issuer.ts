import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { loopbackServer } from '@ranger-relay/http/testing';
import type { ExecutionContext } from 'ava';

/** An identity provider on loopback with one key. */
export const startIssuer = async (t: ExecutionContext) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }];
  const { origin } = await loopbackServer(t, ({ path, headers }) => {
    const issuer = `http://${headers['host']}`;
    return Response.json(path === '/certs' ? { keys } : { issuer, jwks_uri: `${issuer}/certs` });
  });
  return { issuer: origin, privateKey };
};

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with these claims, signed by a key. */
export const tokenOf = (claims: object, key: KeyObject): string => {
  const signed = `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
};
