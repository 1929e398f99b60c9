import type { HttpClient } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { readRoot } from '../address.ts';
import { createGate } from '../wire/gate.ts';
import { createAccess } from './access.ts';
import { createAsk, type Ask } from './ask.ts';
import { checkCredentials } from './credentials.ts';
import { fetchFile } from './files.ts';
import { followPages, readSitePage } from './follow-pages.ts';
import { goodReply, jsonAsk } from './payload.ts';
import type { ReadOptions, SiteCredentials, SiteReader } from './port.ts';

/** How a site is read. */
export interface SiteReaderOptions {
  /** Of the integration; only scheme, host and port of it are used. */
  readonly baseUrl: string;
  readonly credentials: SiteCredentials;
  /** SITE_CLIENT_ID, for tokens that are asked for with a password. */
  readonly clientId: string;
  /** Its own limits of time are not used: 10 s to connect, 60 s in all. */
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  /** Ends everything; calls may bring a signal of their own instead. */
  readonly signal?: AbortSignal | undefined;
}

/** Lists that a site does not page come in one piece. */
const maxBytes = 32 * 1_048_576;
const mostInFlight = 4;

/**
 * Opens a site for reading; nothing is sent before the first call. At most four requests are under way at a time.
 * @throws RelayError `site_address_invalid`, `site_credentials_invalid`
 */
export const openSiteReader = (options: SiteReaderOptions): SiteReader => {
  const { http, clock, log, clientId } = options;
  const root = readRoot(options.baseUrl);
  const credentials = checkCredentials(options.credentials);
  const access = createAccess({ http, clock, log, root, clientId, credentials, signal: options.signal });
  const gate = createGate(mostInFlight);
  const free = createAsk({ http, clock, log }, access);
  const ask: Ask = (question) => gate.run(() => free(question));
  const askJson = jsonAsk(ask);

  const urlOf = (path: string): string => (path.startsWith('/api/') ? `${root}${path}` : `${root}/api/v1.0/${path}`);
  const signalOf = ({ signal = options.signal }: ReadOptions): AbortSignal | undefined => signal;

  return {
    root,
    async get(path, query = {}, given = {}) {
      const search = new URLSearchParams(query).toString();
      const url = search === '' ? urlOf(path) : `${urlOf(path)}?${search}`;
      return goodReply(await askJson({ url, maxBytes, signal: signalOf(given) }), url).payload();
    },
    page: (path, query, given = {}) =>
      readSitePage(askJson, { url: urlOf(path), query, maxBytes, signal: signalOf(given) }),
    pages: (path, query = {}, given = {}) =>
      followPages(askJson, { url: urlOf(path), query, maxBytes, signal: signalOf(given) }),
    fetchBytes: (url, most, given = {}) => fetchFile(ask, root, url, most, { signal: signalOf(given) }),
    signIn: async () => void (await access.token()),
  };
};
