import { RelayError } from '@ranger-relay/errors';

/** Where a site is. */
export interface SiteAddress {
  /** Host, port and path prefix, without a last slash: two sites behind one proxy differ in it. */
  readonly identity: string;
  /** The same with the scheme. */
  readonly origin: string;
  /** What paths of the interface are put behind: ends in `/api/v1.0/`. */
  readonly base: string;
}

const invalid = (problem: string): RelayError => new RelayError('site_address_invalid', { details: { problem } });

const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i;
const apiOnward = /\/api(?:\/.*)?$/;

/** What stands before the interface in the path; a proxy may keep the site there. */
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
 * Scheme, host and port of an address, whatever path it has; https unless `http://` is written out (platform contract, site pull actions).
 * @throws RelayError `site_address_invalid`
 */
export const readRoot = (text: string): string => parse(text).origin;

/**
 * Reads an address as a person writes it: `host`, `host:port`, with `https://` or `http://`, with or without `/api/…`. https unless
 * `http://` is written out (site contract, 1).
 * @throws RelayError `site_address_invalid`; the text does not repeat what was written, which may hold a password
 */
export const readAddress = (text: string): SiteAddress => {
  const url = parse(text);
  const prefix = prefixOf(url.pathname);
  const origin = `${url.origin}${prefix}`;
  return { identity: `${url.host}${prefix}`, origin, base: `${origin}/api/v1.0/` };
};
