/** How somebody is known to a site. */
export type SiteCredentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly username: string; readonly password: string };

/** Parameters of a request. */
export type SiteQuery = Readonly<Record<string, string>>;

/** One page of a list. */
export interface SitePage {
  readonly rows: readonly unknown[];
  /** Parameters that lead to the next page, beside those of this one; null on the last page. */
  readonly next: SiteQuery | null;
  /** The site's own time as it answered, ms since 1970; undefined when the answer does not say. */
  readonly siteTime: number | undefined;
}

/** What a single call may say beside its address. */
export interface ReadOptions {
  /** Aborted: nothing more is sent, waits end, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads from a site with the credentials of an integration (platform contract, site pull actions). Calls are tried up to four times against
 * lost connections, 429 and 502 to 504. Every failure is a RelayError whose `next` says what it is worth:
 * `retry` – `site_unavailable`: the site, or the way to it, gave no usable answer, this time ·
 * `alert` – `site_credentials_refused` 401, `site_forbidden` 403, `site_redirected`, `site_answer_unreadable`, addresses that may not be
 * reached: a person must act, another record fares no better ·
 * `dead` – `site_refused`, `site_not_found` and other 4xx: this one request will never be answered.
 * `details` name `target` ("GET host/path"), never a query, a body or a credential.
 */
export interface SiteReader {
  /** Scheme, host and port, without a last slash; for links to pages of the site. */
  readonly root: string;
  /** One record or a list that comes in one piece, out of its envelope. The path lies below `/api/v1.0/` unless it begins with `/api/`. */
  get(path: string, query?: SiteQuery, options?: ReadOptions): Promise<unknown>;
  /** One page of a list, or a list that comes in one piece. `query` holds the `next` of the page before. */
  page(path: string, query: SiteQuery, options?: ReadOptions): Promise<SitePage>;
  /**
   * A list page by page, whether the site pages it or not. Of the address of the next page only the parameters are used; a list whose pages
   * do not end rejects.
   */
  pages(path: string, query?: SiteQuery, options?: ReadOptions): AsyncIterable<readonly unknown[]>;
  /**
   * A file of the site, by an address that is relative or names the site's own host.
   * @throws RelayError also `site_address_foreign`, and `site_file_too_large` beyond `maxBytes`
   */
  fetchBytes(url: string, maxBytes: number, options?: ReadOptions): Promise<Uint8Array>;
  /** Makes sure that the site takes the credentials: with a password asks for a token; a token is first judged by a call. */
  signIn(): Promise<void>;
}
