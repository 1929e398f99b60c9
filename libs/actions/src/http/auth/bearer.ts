import { hash, timingSafeEqual } from 'node:crypto';
import { bearerOf, type Authenticate } from './authenticate.ts';

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
