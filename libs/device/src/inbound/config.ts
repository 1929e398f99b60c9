import { isObject, RelayError } from '@ranger-relay/errors';

const maxLength = 2_000;

const unusable = (problem: string): RelayError => new RelayError('vendor_address_invalid', { details: { problem } });

/** Browsers accept `https:host`, so it counts as having a scheme; any other text without `://` is a host. */
const withScheme = (text: string): string => {
  if (/^https?:(?!\d+(?:\/|$))/i.test(text) || /^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text;
  return `https://${text.replace(/^\/+/, '')}`;
};

/**
 * Parses the address of the inbound service as the operator writes it (device contract, section 5) to scheme, host and port. The default
 * scheme is `https`; path, query and user info are dropped. The HTTP client decides whether plain `http` is allowed.
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
  /** As the operator wrote it: with or without scheme and path. */
  readonly apiUrl: string;
  readonly username: string;
  readonly password: string;
}

/** Configuration keys of the fields. */
export type InboundField = 'api_url' | 'username' | 'password';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads the account; returns the name of a field that is missing, empty or not a text. */
export const readInboundConfig = (data: unknown): InboundConfig | InboundField => {
  const members = isObject(data) ? data : {};
  const apiUrl = textOf(members['api_url']).trim();
  const username = textOf(members['username']);
  const password = textOf(members['password']);
  if (apiUrl === '') return 'api_url';
  if (username.trim() === '') return 'username';
  return password === '' ? 'password' : { apiUrl, username, password };
};
