import type { Page } from '../client/pages.ts';

/** Credentials for a site. */
export type SiteCredentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly username: string; readonly password: string };

/** Parameters of a request. */
export type SiteQuery = Readonly<Record<string, string>>;

/** One page of a list. `next`: parameters of the next page, to be combined with those of this page. */
export type SitePage = Pick<Page<SiteQuery>, 'rows' | 'next' | 'siteTime'>;

/** Options of a single call. */
export interface ReadOptions {
  /** When aborted, no further request is sent, waits end, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads from a site with the credentials of an integration (platform contract, site pull actions). Calls are tried up to four times after
 * lost connections, 429 and 502 to 504. Every failure is a RelayError whose `next` says how to proceed:
 * `retry` – `site_unavailable`: the site, or the connection to it, gave no usable response this time
 * `alert` – `site_credentials_refused` 401, `site_forbidden` 403, `site_redirected`, `site_answer_unreadable`, addresses that are not
 * allowed: an operator must act, other records would fail too
 * `dead` – `site_refused`, `site_not_found` and other 4xx: this request will never succeed
 * `details` name `target` ("GET host/path"), never a query, a body or a credential.
 */
export interface SiteReader {
  /** Scheme, host and port, without a trailing slash; for links to pages of the site. */
  readonly root: string;
  /** Reads one record or an unpaged list, without its envelope. The path is below `/api/v1.0/` unless it begins with `/api/`. */
  get(path: string, query?: SiteQuery, options?: ReadOptions): Promise<unknown>;
  /** Reads one page of a list, or an unpaged list. `query` contains the `next` of the previous page. */
  page(path: string, query: SiteQuery, options?: ReadOptions): Promise<SitePage>;
  /**
   * Reads a list page by page, whether or not the site pages it. Uses only the parameters of the next page's address. Rejects when the
   * pages do not end.
   */
  pages(path: string, query?: SiteQuery, options?: ReadOptions): AsyncIterable<readonly unknown[]>;
  /**
   * Reads a file of the site, by an address that is relative or has the site's own host.
   * @throws RelayError also `site_address_foreign`, and `site_file_too_large` beyond `maxBytes`
   */
  fetchBytes(url: string, maxBytes: number, options?: ReadOptions): Promise<Uint8Array>;
  /**
   * Checks that the site accepts the credentials. Requests a token when there is a password; a fixed token is checked only by the next
   * call.
   */
  signIn(): Promise<void>;
}
