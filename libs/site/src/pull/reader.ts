import { RelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import { type Clock, pLimit, type Logger } from '@ranger-relay/runtime';
import { readRoot } from '../address.ts';
import { createClient, type RetryPolicy, type Reply, type SiteRequest } from '../client/client.ts';
import { createAccess } from './access.ts';
import { followSitePages, payloadOf, readSitePage } from './follow-pages.ts';
import type { ReadOptions, SiteCredentials, SiteQuery, SiteReader } from './port.ts';

const maxInFlight = 4;
const maxTries = 4;
/** If the site asks for a longer wait, a later run retries. */
const maxWaitMs = 60_000;

/**
 * Sends each request up to four times, 1, 2 and 4 s apart or as the site asks, at most four requests at a time (platform contract, retry
 * budgets). An untrusted certificate counts as an outage, because the operator can renew it: a run that waits loses no data, a run that
 * skips the site would.
 */
const fourTries = (clock: Clock): RetryPolicy => {
  const limit = pLimit(maxInFlight);
  return {
    faultsAreOutages: true,
    run: (attempt) => limit(attempt, { pauses: 0 }),
    answered: () => undefined,
    async onLoss(_permit, { hopeless, retryAfterMs }, _losses, tries, signal) {
      if (hopeless || tries >= maxTries || (retryAfterMs ?? 0) > maxWaitMs) return false;
      await clock.sleep(retryAfterMs ?? 1_000 * 2 ** (tries - 1), signal);
      return true;
    },
  };
};

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

/** The path and query of an address at the site's own host; its scheme may be one used only inside the site's network. */
const pathOnSite = (root: string, url: string): Pick<SiteRequest, 'path' | 'query'> => {
  const found = URL.parse(url, `${root}/`);
  const { host } = new URL(root);
  const isWeb = found?.protocol === 'https:' || found?.protocol === 'http:';
  if (!found || !isWeb || found.host !== host)
    throw new RelayError('site_address_foreign', { details: { host: found?.host || 'an unreadable address' } });
  return { path: found.pathname, query: found.search };
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
const maxTokenBytes = 65_536;
const limits = { connectMs: 10_000, totalMs: 60_000 };

const authorised = (reply: Reply): Reply => {
  if (reply.status !== 401) return reply;
  throw new RelayError('site_credentials_refused', { details: { target: reply.target } });
};

/** A gateway's refusal says nothing about the request: who believes it skips rows that the site has. */
const refusedBySite = (reply: Reply): Reply => {
  const { status, target } = reply;
  if (status < 400 || reply.isOwnRefusal()) return reply;
  throw new RelayError('site_unavailable', {
    details: { target, reason: `HTTP ${status} that is not in the site's form`, tries: 1 },
  });
};

const fileOf = (reply: Reply): Uint8Array => {
  if (!reply.ok) throw reply.refusal();
  return reply.body;
};

/**
 * Opens a site for reading; sends nothing before the first call. At most four requests run concurrently.
 * @throws RelayError `site_address_invalid`, `site_credentials_invalid`
 */
export const openSiteReader = (options: SiteReaderOptions): SiteReader => {
  const { http, clock, log, clientId, signal } = options;
  const root = readRoot(options.baseUrl);
  const credentials = checkCredentials(options.credentials);
  const address = { origin: root, base: `${root}/api/v1.0/` };
  const shared = { http, address, policy: fourTries(clock), clock, log, limits };
  const tokenClient = createClient({ ...shared, maxBytes: maxTokenBytes });
  const access = createAccess({ client: tokenClient, clock, clientId, credentials, signal });
  const client = createClient({ ...shared, access, maxBytes });

  const get = (request: Omit<SiteRequest, 'method'>, given: ReadOptions): Promise<Reply> =>
    client.exchange({ method: 'GET', ...request, signal: given.signal ?? signal }, authorised);
  const askerOf =
    (path: string, given: ReadOptions) =>
    async (query: SiteQuery): Promise<Reply> => {
      const reply = await get({ path, query }, given);
      // An older site answers with HTML that it has no path outside of its base.
      return reply.status === 404 && path.startsWith('/') ? reply : refusedBySite(reply);
    };

  return {
    root,
    get: async (path, query = {}, given = {}) => payloadOf(await askerOf(path, given)(query)),
    async page(path, query, given = {}) {
      const { rows, next, siteTime } = await readSitePage(askerOf(path, given), query);
      return { rows, next, siteTime };
    },
    pages: (path, query = {}, given = {}) => followSitePages(askerOf(path, given), query),
    fetchBytes: async (url, maxFileBytes, given = {}) =>
      fileOf(await get({ ...pathOnSite(root, url), maxFileBytes }, given)),
    signIn: async () => void (await access.token()),
  };
};
