/** One outgoing request. */
export interface HttpRequest {
  readonly method: 'GET' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** At most one of `json`, `form`, `body`. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Limits, ms; default: those of the client. */
  readonly connectMs?: number;
  readonly totalMs?: number;
  /** From the end of the request to the first byte of the response; default: no limit besides `totalMs`. */
  readonly firstByteMs?: number;
  /** Maximum bytes of a response, default 8 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** A response of any status; the caller interprets the status. Redirects are not followed. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `METHOD host/path`, for error texts. */
  readonly target: string;
  /** Wait of a Retry-After header (seconds or date), ms, at most one hour. */
  readonly retryAfterMs: number | undefined;
  /** Parses the body as JSON. @throws RelayError `http_body_unreadable` */
  json(): unknown;
  /** At most `max` (default 200) characters of the body on one line, without secrets, for error texts. */
  excerpt(max?: number): string;
}

/** Sends requests without retries. */
export interface HttpClient {
  /**
   * @throws RelayError `http_connect`, `http_timeout`, `http_reset` (the latter two with `ambiguous` when the request may have been
   *   carried out), `http_body_too_large`, `http_address_refused`, `http_scheme_refused`
   */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Closes idle connections. */
  close(): void;
}
