import { RelayError } from '@ranger-relay/errors';
import type { SiteCredentials } from './port.ts';

const invalid = (problem: string): RelayError => new RelayError('site_credentials_invalid', { details: { problem } });

const visible = /^[\x21-\x7e]+$/;

/**
 * Credentials that can be sent at all; a token comes without the white space around it.
 * @throws RelayError `site_credentials_invalid`, which never repeats what was given
 */
export const checkCredentials = (given: SiteCredentials): SiteCredentials => {
  if (given.kind === 'password') {
    if (given.username.trim() === '') throw invalid('the user name is empty');
    if (given.password === '') throw invalid('the password is empty');
    return given;
  }
  const token = given.token.trim();
  if (token === '') throw invalid('the token is empty');
  if (!visible.test(token)) throw invalid('the token holds white space or other characters that no token has');
  return { kind: 'token', token };
};
