import { isRelayError, RelayError } from '@ranger-relay/errors';
import { refusalOf } from '../wire/refusals.ts';
import type { Ask } from './ask.ts';
import type { ReadOptions } from './port.ts';

/** The address under the site's own origin; the scheme may be one that only the site's inside knows. */
const onSite = (root: string, url: string): string => {
  const found = URL.parse(url, `${root}/`);
  const { host } = new URL(root);
  const isWeb = found?.protocol === 'https:' || found?.protocol === 'http:';
  if (!found || !isWeb || found.host !== host)
    throw new RelayError('site_address_foreign', { details: { host: found?.host || 'an unreadable address' } });
  return `${root}${found.pathname}${found.search}`;
};

/** Reads a file of the site, of at most `maxBytes`. */
export const fetchFile = async (
  ask: Ask,
  root: string,
  url: string,
  maxBytes: number,
  { signal }: ReadOptions,
): Promise<Uint8Array> => {
  const address = onSite(root, url);
  try {
    const answer = await ask({ url: address, maxBytes, accept: '*/*', signal });
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, new URL(address));
    return answer.body;
  } catch (error) {
    if (!isRelayError(error, 'http_body_too_large')) throw error;
    throw new RelayError('site_file_too_large', { details: error.details });
  }
};
