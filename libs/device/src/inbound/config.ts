import { isObject } from '../payload.ts';

/** The account at the vendor's inbound service, from the `auth` configuration of an integration (device contract, section 6). */
export interface InboundConfig {
  /** As people wrote it: with or without scheme and path. */
  readonly apiUrl: string;
  readonly username: string;
  readonly password: string;
}

/** Names of the fields as they are configured. */
export type InboundField = 'api_url' | 'username' | 'password';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads the account; when a field is missing, empty or no text, answers its name. */
export const readInboundConfig = (data: unknown): InboundConfig | InboundField => {
  const members = isObject(data) ? data : {};
  const apiUrl = textOf(members['api_url']).trim();
  const username = textOf(members['username']);
  const password = textOf(members['password']);
  if (apiUrl === '') return 'api_url';
  if (username.trim() === '') return 'username';
  return password === '' ? 'password' : { apiUrl, username, password };
};
