import { RelayError } from '@ranger-relay/errors';
import { isObject } from '../payload.ts';

const maxLength = 2_000;

const unusable = (problem: string): RelayError => new RelayError('vendor_address_invalid', { details: { problem } });

/** `https:host` is read as browsers read it; anything else without `://` is a host. */
const withScheme = (text: string): string => {
  if (/^https?:(?!\d+(?:\/|$))/i.test(text) || /^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text;
  return `https://${text.replace(/^\/+/, '')}`;
};

/**
 * Scheme, host and port of the inbound service as people write its address (device contract, section 5): `https` unless said otherwise;
 * path, query and user info are dropped. Whether plain `http` may be spoken is up to the HTTP client.
 * @throws RelayError `vendor_address_invalid`
 */
export const inboundBase = (written: string): string => {
  const text = written.trim();
  if (text === '') throw unusable('is empty');
  if (text.length > maxLength) throw unusable(`is longer than ${maxLength} characters`);
  const url = URL.parse(withScheme(text));
  if (!url || url.hostname === '') throw unusable('cannot be read');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw unusable('is neither https nor http');
  return `${url.protocol}//${url.host}`;
};

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
