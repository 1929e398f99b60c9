import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';

/** The credentials of one request. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** TLS options, such as trusted authorities in place of the well-known ones, or a client certificate with its key. */
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
  /** Creates the connections if they use a proxy. */
  readonly agent?: Agent;
}

/** The address of the API server and the credentials for it. */
export interface Access {
  /** `https://host:port`. */
  readonly server: string;
  /** The namespace of this process; undefined if it is unknown. */
  readonly namespace: string | undefined;
  /**
   * Returns the credentials for the next request; they may change while the process runs.
   * @throws RelayError `kube_access_missing`
   */
  credentials(): Promise<Credentials>;
  /** Reports that the API server rejected the credentials, so that the next call reads them again. */
  refused(): void;
}
