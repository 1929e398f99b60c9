import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { readRoot } from '../address.ts';
import { refusalOf } from '../wire/failure.ts';
import { createAccess } from './access.ts';
import { type Ask, createAsk } from './tries.ts';
import { followPages, readSitePage } from './follow-pages.ts';
import { goodReply, jsonAsk } from './payload.ts';
import type { ReadOptions, SiteCredentials, SiteReader } from './port.ts';

const invalid = (problem: string): RelayError => new RelayError('site_credentials_invalid', { details: { problem } });

const visible = /^[\x21-\x7e]+$/;

/**
 * Validates that the credentials can be sent; trims white space around a token.
 * @throws RelayError `site_credentials_invalid`, which never repeats the input
 */
const checkCredentials = (given: SiteCredentials): SiteCredentials => {
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

/** Rewrites an address to the site's own origin; its scheme may be one used only inside the site's network. */
const onSite = (root: string, url: string): string => {
  const found = URL.parse(url, `${root}/`);
  const { host } = new URL(root);
  const isWeb = found?.protocol === 'https:' || found?.protocol === 'http:';
  if (!found || !isWeb || found.host !== host)
    throw new RelayError('site_address_foreign', { details: { host: found?.host || 'an unreadable address' } });
  return `${root}${found.pathname}${found.search}`;
};

/** Reads a file of the site, of at most `maxBytes`. */
const fetchFile = async (
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

/** Limits the number of concurrent tasks; the others wait in order. */
interface Semaphore {
  run<T>(task: () => T | Promise<T>): Promise<T>;
}

/** Creates a gate with `limit` places. */
export const createSemaphore = (limit: number): Semaphore => {
  const waiting: (() => void)[] = [];
  let free = limit;

  const enter = (): Promise<void> | undefined => {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    return new Promise((resolve) => waiting.push(resolve));
  };

  /** Passes a place directly to the next task in line, so that tasks run in order. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };

  return {
    async run(task) {
      await enter();
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
};

/** The options of reading a site. */
export interface SiteReaderOptions {
  /** Address from the integration; only its scheme, host and port are used. */
  readonly baseUrl: string;
  readonly credentials: SiteCredentials;
  /** SITE_CLIENT_ID, for requesting tokens with a password. */
  readonly clientId: string;
  /** The client's own timeouts are not used: 10 s to connect, 60 s in total. */
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  /** Ends all calls; a call may have its own signal instead. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum size of a response; unpaged lists are large. */
const maxBytes = 32 * 1_048_576;
const maxInFlight = 4;

/**
 * Opens a site for reading; sends nothing before the first call. At most four requests run concurrently.
 * @throws RelayError `site_address_invalid`, `site_credentials_invalid`
 */
export const openSiteReader = (options: SiteReaderOptions): SiteReader => {
  const { http, clock, log, clientId } = options;
  const root = readRoot(options.baseUrl);
  const credentials = checkCredentials(options.credentials);
  const access = createAccess({ http, clock, log, root, clientId, credentials, signal: options.signal });
  const gate = createSemaphore(maxInFlight);
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
