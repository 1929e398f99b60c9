import { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { z } from 'zod';
import { refusalOf, unreadable } from '../wire/failure.ts';
import type { SiteCredentials } from './port.ts';
import { tryUntilAnswered, type TryDependencies } from './tries.ts';

/** Provides the token for requests. */
export interface Access {
  /** @throws RelayError `site_credentials_refused`, `site_unavailable` */
  token(): Promise<string>;
  /** Reports that the site rejected this token. Returns true when another token can be requested. */
  renew(token: string): boolean;
}

/** The dependencies of requesting tokens. */
export interface AccessOptions extends TryDependencies {
  readonly root: string;
  readonly clientId: string;
  readonly credentials: SiteCredentials;
  readonly signal?: AbortSignal | undefined;
}

/** How long before its expiry a token is renewed, at most half of its lifetime, ms. */
const earlyMs = 300_000;
const unknownLifeS = 300;
const maxBytes = 65_536;

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(unknownLifeS),
});

const refusals = new Set([400, 401, 403]);

const readToken = (answer: HttpAnswer, url: string): z.infer<typeof tokenSchema> => {
  const { status, target } = answer;
  if (refusals.has(status)) throw new RelayError('site_credentials_refused', { details: { target } });
  if (status !== 200) throw refusalOf(answer, new URL(url));
  const { data } = tokenSchema.safeParse(parsed(answer));
  if (!data) throw unreadable(target, 'it holds no token');
  return data;
};

const parsed = (answer: HttpAnswer): unknown => {
  try {
    return answer.json();
  } catch {
    return undefined;
  }
};

const byPassword = (options: AccessOptions, username: string, password: string): Access => {
  const { clock, root, clientId, signal } = options;
  const url = `${root}/oauth2/token`;
  const form = { grant_type: 'password', username, password, client_id: clientId };
  let current: { readonly token: string; readonly renewAt: number } | undefined;
  let flight: Promise<string> | undefined;

  const ask = async (): Promise<string> => {
    const asked = clock.monotonic();
    const request = { method: 'POST', url, form, maxBytes, ...(signal ? { signal } : {}) } as const;
    const { access_token: token, expires_in: seconds } = readToken(await tryUntilAnswered(options, request), url);
    const lifeMs = seconds * 1_000;
    current = { token, renewAt: asked + lifeMs - Math.min(earlyMs, lifeMs / 2) };
    return token;
  };

  return {
    token() {
      if (current && clock.monotonic() < current.renewAt) return Promise.resolve(current.token);
      flight ??= ask().finally(() => (flight = undefined));
      return flight;
    },
    renew(token) {
      if (current?.token === token) current = undefined;
      return true;
    },
  };
};

/** Creates the access for one set of credentials: a fixed token, or tokens requested with the password, one request at a time. */
export const createAccess = (options: AccessOptions): Access => {
  const { credentials } = options;
  if (credentials.kind === 'password') return byPassword(options, credentials.username, credentials.password);
  return { token: () => Promise.resolve(credentials.token), renew: () => false };
};
