/** One request to the site, below `/api/v1.0/`. */
export interface SiteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without a first slash, with a last one. */
  readonly path: string;
  /** Parameters, or the search part of an address that the site gave. */
  readonly query?: Readonly<Record<string, string>> | string;
  readonly json?: unknown;
  /** Sent without the token. */
  readonly anonymous?: boolean;
}

/** The search part of a request's address, with its question mark; empty without parameters. */
export const searchOf = ({ query }: SiteRequest): string => {
  if (query === undefined || typeof query === 'string') return query ?? '';
  return `?${new URLSearchParams(query)}`;
};
