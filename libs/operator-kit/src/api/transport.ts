/** One exchange with the API server. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of the body; `application/json` when left out. */
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** How the API server is reached. Nothing is ever sent twice by itself. */
export interface KubeTransport {
  /**
   * The answer's JSON.
   * @throws RelayError `kube_*`; `ambiguous` when the request may have been carried out without an answer. The signal's reason once it is aborted
   */
  call(request: KubeRequest): Promise<unknown>;
  /**
   * Opens an answer that goes on and on; resolves when it begins. Reading ends with the connection, and throws when it breaks.
   * @throws as `call`
   */
  open(request: KubeRequest): Promise<AsyncIterable<Uint8Array>>;
  /** Ends idle connections. */
  close(): void;
}
