import { hash, timingSafeEqual } from 'node:crypto';
import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** The tokens of a list that is separated by commas. */
export const tokensOf = (list: string): readonly string[] =>
  list
    .split(',')
    .map((token) => token.trim())
    .filter(Boolean);

/** Takes any of several tokens. The work never depends on where a wrong one differs, nor on which of them it is. */
export const bearerAuth = (tokens: readonly string[]): Authenticate => {
  const known = tokens.map(digestOf);
  return async (authorization) => {
    const digest = digestOf(bearerOf(authorization) ?? '');
    let matches = 0;
    for (const each of known) matches += Number(timingSafeEqual(digest, each));
    return matches > 0;
  };
};

/** Checks signature and times of a token and answers its claims. @throws anything for a token that is not good; RelayError `retry` when it cannot be told now */
export type VerifyToken = (token: string) => Promise<unknown>;

/** What the claims of a caller have to say. */
export interface OidcRules {
  readonly verify: VerifyToken;
  /** Issuers that are taken. */
  readonly issuers: readonly string[];
  /** INTEGRATION_SERVICE_URL; a last slash makes no difference. */
  readonly audience: string;
  /** E-mails of the service accounts that may call. */
  readonly serviceAccounts: readonly string[];
}

const claimsSchema = z.looseObject({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
});

const bare = (address: string): string => address.replace(/\/+$/, '');

/** Whether claims are those of the caller that is meant. */
export const claimsFit = (claims: unknown, rules: Omit<OidcRules, 'verify'>): boolean => {
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success) return false;
  const { iss, aud, email, email_verified: verified } = parsed.data;
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (!rules.issuers.includes(iss) || !audiences.map(bare).includes(bare(rules.audience))) return false;
  return email !== undefined && rules.serviceAccounts.includes(email) && verified === true;
};

/** Takes tokens of an identity provider: signed, of the issuer, for this service, of one of the service accounts. */
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
 * Whether the caller may, by its `Authorization` header (platform contract, runner).
 * @throws RelayError when that cannot be told now
 */
export type Authenticate = (authorization: string | undefined) => Promise<boolean>;

/** Everybody may. */
export const takeEverybody: Authenticate = async () => true;

const maxLength = 16_384;

/** The token of a bearer header; undefined when there is none. */
const bearerOf = (authorization: string | undefined): string | undefined =>
  authorization === undefined || authorization.length > maxLength
    ? undefined
    : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
