/** One request to the API server. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Content type of the body; default `application/json`. */
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to the API server; never retries. */
export interface KubeTransport {
  /**
   * Returns the JSON of the response.
   * @throws RelayError `kube_*`; `ambiguous` when the server may have carried out the request. The signal's reason once it is aborted
   */
  call(request: KubeRequest): Promise<unknown>;
  /**
   * Opens a streaming response; resolves when the response begins. Reading ends with the connection and throws when it breaks.
   * @throws as `call`
   */
  open(request: KubeRequest): Promise<AsyncIterable<Uint8Array>>;
  /** Ends idle connections. */
  close(): void;
}
