import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

/** An identity provider on loopback with one key. */
export const startIssuer = async (t: ExecutionContext) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }];
  const server = createServer((request, response) => {
    const known = { issuer: `http://${request.headers.host}`, jwks_uri: `http://${request.headers.host}/certs` };
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(request.url === '/certs' ? { keys } : known));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, privateKey };
};

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with these claims, signed by a key. */
export const tokenOf = (claims: object, key: KeyObject): string => {
  const signed = `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
};
