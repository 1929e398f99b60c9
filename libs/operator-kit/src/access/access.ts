/** What a connection is made with. */
export interface TlsSettings {
  /** PEM of the authorities that are trusted, instead of the well-known ones. */
  readonly ca?: string | Buffer;
  /** PEM of an own certificate and its key. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** What one request logs in with. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsSettings;
}

/** Where the API server is, and how to log in there. */
export interface Access {
  /** `https://host:port`. */
  readonly server: string;
  /** The namespace of this process, where that is known. */
  readonly namespace: string | undefined;
  /** For the next request; they may change while the process runs. @throws RelayError `kube_access_missing` */
  credentials(): Promise<Credentials>;
  /** The API server did not take the credentials: the next ones are read anew. */
  refused(): void;
}
