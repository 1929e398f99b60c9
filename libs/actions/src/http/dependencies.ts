import type { Readable } from 'node:stream';
import type { Bus, DeadLetters } from '@ranger-relay/bus';
import type { ConfigEvent } from '@ranger-relay/contracts';
import type { Context, RateLimitedLog } from '@ranger-relay/runtime';
import type { ActionRuntime } from '../execute/runtime.ts';
import type { Authenticate } from './auth/authenticate.ts';
import type { ReadBody } from './body.ts';

/** Configuration of the HTTP side of an action service. */
export interface ActionAppOptions {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
  readonly bus: Pick<Bus, 'publish'>;
  readonly authenticate: Authenticate;
  /** Applies a config event to the cache. @throws RelayError `kv_unavailable` */
  readonly applyConfigEvent: (event: ConfigEvent) => Promise<void>;
  readonly topics: { readonly commands: string; readonly configEvents: string };
  /** PROCESS_PUBSUB_MESSAGES_IN_BACKGROUND; default false. */
  readonly inBackground?: boolean;
  /** Largest body, bytes; default 10 MiB. */
  readonly maxBodyBytes?: number;
  /** Maximum total size of all bodies, bytes; default 128 MiB. */
  readonly maxBufferedBytes?: number;
  readonly title: string;
  readonly version: string;
  /** Public address of the service, for the OpenAPI document. */
  readonly url?: string;
}

/** The dependencies of the HTTP handlers. */
export interface HandlerDependencies extends Omit<ActionAppOptions, 'authenticate'> {
  readonly maxBodyBytes: number;
  readonly runtime: ActionRuntime;
  readonly readBody: ReadBody;
  readonly deadLetters: DeadLetters;
  readonly limitedLog: RateLimitedLog;
}

/** A request as a handler receives it. */
export interface Incoming {
  readonly body: Readable;
  readonly headers: () => Record<string, string>;
}
