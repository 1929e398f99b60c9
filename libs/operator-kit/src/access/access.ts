import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';

/** What one request logs in with. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Authorities that are trusted instead of the well-known ones, an own certificate with its key, and the like. */
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
  /** Makes the connections when they lead through a proxy. */
  readonly agent?: Agent;
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
