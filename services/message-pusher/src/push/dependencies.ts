import type { ActivityFeed, BelievedTime } from '@ranger-relay/actions';
import type { DeadLetters, RecordOrigin } from '@ranger-relay/bus';
import type { Inbound } from '@ranger-relay/device';
import type { Context, KeyedMutex, Logger } from '@ranger-relay/runtime';
import type { Ledger } from '../ledger/ledger.ts';

/** One push of the platform, or one record of `outbound-messages`. */
export interface PushInput {
  /** Attribute `destination_id`. */
  readonly integrationId: string;
  /** Data of the integration's `auth` configuration; null without one. */
  readonly auth: unknown;
  /** Reads the same data from the platform anew. @throws RelayError when the platform cannot be reached */
  readonly currentAuth: () => Promise<unknown>;
  readonly attributes: Readonly<Record<string, string>>;
  /** As parsed from JSON. */
  readonly data: unknown;
  /** Message id of the envelope; null without one. */
  readonly messageId: string | null;
  /** ms since 1970. */
  readonly receivedAt: number;
  /** Whether another process may have had this push before: the platform counts deliveries, the bus does not. */
  readonly isRedelivered: boolean;
  /** Position of the record on the bus. */
  readonly origin: RecordOrigin | null;
  /** W3C trace parent in a header; one in the attributes wins. */
  readonly traceparent?: string | undefined;
  /** Time limit of the run, ms; no call starts that could exceed it. */
  readonly budgetMs: number;
  /** When aborted, no further call starts; the current call completes. */
  readonly signal?: AbortSignal;
  /** Writes entries to the activity log of the integration; never throws. */
  readonly feed: Pick<ActivityFeed, 'info' | 'warning'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Settings of the action, from the environment. */
export interface PushSettings {
  readonly idAttribute: string;
  /** Time limit of one call, ms. */
  readonly timeoutMs: number;
  readonly maxAgeMs: number;
}

/** Dependencies of pushing; created once per process. */
export interface PushDeps extends Pick<Context, 'clock' | 'random' | 'tracing' | 'metrics' | 'conditions'> {
  /** The time by which the age of a text is judged. */
  readonly time: BelievedTime;
  readonly ledger: Ledger;
  readonly turns: KeyedMutex;
  readonly inbound: Inbound;
  readonly deadLetters: DeadLetters;
  readonly settings: PushSettings;
}
