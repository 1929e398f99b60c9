import { RelayError } from '@ranger-relay/errors';

/** The address of a site. */
export interface SiteAddress {
  /** Host, port and path prefix, without a trailing slash; it distinguishes two sites behind one proxy. */
  readonly identity: string;
  /** The same, with the scheme. */
  readonly origin: string;
  /** The base of all API paths: ends in `/api/v1.0/`. */
  readonly base: string;
}

const invalid = (problem: string): RelayError => new RelayError('site_address_invalid', { details: { problem } });

const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i;
const apiOnward = /\/api(?:\/.*)?$/;

/** The path prefix before the API; a proxy may serve the site below one. */
const prefixOf = (pathname: string): string => {
  if (pathname === '/') return '';
  if (!apiOnward.test(pathname)) throw invalid('has a path that does not lead to /api');
  return pathname.slice(0, pathname.search(/\/api(?:\/|$)/));
};

/** @throws RelayError `site_address_invalid` */
const parse = (text: string): URL => {
  const trimmed = text.trim();
  if (trimmed === '') throw invalid('is empty');
  const url = URL.parse(hasScheme.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (!url || url.hostname === '') throw invalid('cannot be read');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid(`begins with ${url.protocol}//`);
  if (url.username !== '' || url.password !== '') throw invalid('holds a user name or a password');
  return url;
};

/**
 * Scheme, host and port of an address, without its path; https unless the address starts with `http://` (platform contract, site pull
 * actions).
 * @throws RelayError `site_address_invalid`
 */
export const readRoot = (text: string): string => parse(text).origin;

/**
 * Parses an address as the operator writes it: `host`, `host:port`, with `https://` or `http://`, with or without `/api/…`. https unless
 * the address starts with `http://` (site contract, 1).
 * @throws RelayError `site_address_invalid`; the text does not repeat the input, which may contain a password
 */
export const readAddress = (text: string): SiteAddress => {
  const url = parse(text);
  const prefix = prefixOf(url.pathname);
  const origin = `${url.origin}${prefix}`;
  return { identity: `${url.host}${prefix}`, origin, base: `${origin}/api/v1.0/` };
};
