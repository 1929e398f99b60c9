import { RelayError } from '@ranger-relay/errors';
import { type Clock, shareFlight } from '@ranger-relay/runtime';
import { z } from 'zod';
import { type Access, fixedToken, type Reply, type SiteClient } from '../client/client.ts';
import { unreadable } from '../client/failure.ts';
import type { SiteCredentials } from './port.ts';

/** The dependencies of requesting tokens. */
export interface AccessOptions {
  /** Sends without a token. */
  readonly client: SiteClient;
  readonly clock: Clock;
  readonly clientId: string;
  readonly credentials: SiteCredentials;
  readonly signal?: AbortSignal | undefined;
}

/** How long before its expiry a token is renewed, at most half of its lifetime, ms. */
const earlyMs = 300_000;
const unknownLifeS = 300;

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(unknownLifeS),
});

const refusals = new Set([400, 401, 403]);

const payloadOf = (reply: Reply): unknown => {
  try {
    return reply.payload();
  } catch {
    return undefined;
  }
};

const readToken = (reply: Reply): z.infer<typeof tokenSchema> => {
  const { status, target } = reply;
  if (refusals.has(status)) throw new RelayError('site_credentials_refused', { details: { target } });
  if (status !== 200) throw reply.refusal();
  const { data } = tokenSchema.safeParse(payloadOf(reply));
  if (!data) throw unreadable(target, 'it holds no token');
  return data;
};

const byPassword = (options: AccessOptions, username: string, password: string): Access => {
  const { client, clock, clientId, signal } = options;
  const form = { grant_type: 'password', username, password, client_id: clientId };
  let current: { readonly token: string; readonly renewAt: number } | undefined;

  const ask = shareFlight(async (): Promise<string> => {
    const asked = clock.monotonic();
    const request = { method: 'POST', path: '/oauth2/token', form, anonymous: true, signal } as const;
    const { access_token: token, expires_in: seconds } = await client.exchange(request, readToken);
    const lifeMs = seconds * 1_000;
    current = { token, renewAt: asked + lifeMs - Math.min(earlyMs, lifeMs / 2) };
    return token;
  });

  return {
    token: () => (current && clock.monotonic() < current.renewAt ? Promise.resolve(current.token) : ask()),
    renew(token) {
      if (current?.token === token) current = undefined;
      return true;
    },
  };
};

/** Creates the access for one set of credentials: a fixed token, or tokens requested with the password, one request at a time. */
export const createAccess = (options: AccessOptions): Access => {
  const { credentials } = options;
  if (credentials.kind === 'token') return fixedToken(credentials.token);
  return byPassword(options, credentials.username, credentials.password);
};
