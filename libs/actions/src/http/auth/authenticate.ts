import { hash, timingSafeEqual } from 'node:crypto';
import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/**
 * Accepts any of several tokens, in constant time: the time depends neither on the position of the first difference nor on the token that
 * matches.
 */
export const bearerAuth = (tokens: readonly string[]): Authenticate => {
  const known = tokens.map(digestOf);
  return async (authorization) => {
    const digest = digestOf(bearerOf(authorization) ?? '');
    let matches = 0;
    for (const each of known) matches += Number(timingSafeEqual(digest, each));
    return matches > 0;
  };
};

/**
 * Verifies the signature and the validity period of a token and returns its claims.
 * @throws any error for an invalid token; RelayError `retry` when the token cannot be verified now
 */
export type VerifyToken = (token: string) => Promise<unknown>;

/** The claims that a caller must have. */
export interface OidcRules {
  readonly verify: VerifyToken;
  /** Accepted issuers. */
  readonly issuers: readonly string[];
  /** INTEGRATION_SERVICE_URL; a trailing slash is ignored. */
  readonly audience: string;
  /** E-mail addresses of the service accounts that may call. */
  readonly serviceAccounts: readonly string[];
}

const claimsSchema = z.looseObject({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
});

const bare = (address: string): string => address.replace(/\/+$/, '');

/** Whether the claims identify an accepted caller. */
export const claimsFit = (claims: unknown, rules: Omit<OidcRules, 'verify'>): boolean => {
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success) return false;
  const { iss, aud, email, email_verified: verified } = parsed.data;
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (!rules.issuers.includes(iss) || !audiences.map(bare).includes(bare(rules.audience))) return false;
  return email !== undefined && rules.serviceAccounts.includes(email) && verified === true;
};

/** Accepts tokens of an identity provider: signed, from an accepted issuer, for this service and one of the service accounts. */
export const oidcAuth =
  ({ verify, ...rules }: OidcRules): Authenticate =>
  async (authorization) => {
    const token = bearerOf(authorization);
    if (token === undefined) return false;
    try {
      return claimsFit(await verify(token), rules);
    } catch (error) {
      if (isRelayError(error) && error.next === 'retry') throw error;
      return false;
    }
  };

/**
 * Whether the caller is authorised, according to its `Authorization` header (platform contract, runner).
 * @throws RelayError when the token cannot be verified now
 */
export type Authenticate = (authorization: string | undefined) => Promise<boolean>;

/** Accepts every caller. */
export const takeEverybody: Authenticate = async () => true;

const maxLength = 16_384;

/** The token of a bearer header; undefined when there is none. */
const bearerOf = (authorization: string | undefined): string | undefined =>
  authorization === undefined || authorization.length > maxLength
    ? undefined
    : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
