import type { ActivityFeed, BelievedTime } from '@ranger-relay/actions';
import type { DeadLetters } from '@ranger-relay/bus';
import type { DeadLetter } from '@ranger-relay/contracts';
import type { Inbound } from '@ranger-relay/device';
import type { Clock, Context, Logger, Random, Tracing } from '@ranger-relay/runtime';
import type { Ledger } from '../ledger/ledger.ts';
import type { KeyedMutex } from './keyed-mutex.ts';

/** One push of the platform, or one record of `outbound-messages`. */
export interface PushInput {
  /** Attribute `destination_id`. */
  readonly integrationId: string;
  /** Data of the integration's `auth` configuration; null without one. */
  readonly auth: unknown;
  /** The same as the platform has it now. @throws RelayError when the platform cannot be asked */
  readonly currentAuth: () => Promise<unknown>;
  readonly attributes: Readonly<Record<string, string>>;
  /** As parsed from JSON. */
  readonly data: unknown;
  /** Of the envelope; null without one. */
  readonly messageId: string | null;
  /** ms since 1970. */
  readonly receivedAt: number;
  /** Where on a bus it came from. */
  readonly origin: DeadLetter['origin'];
  /** W3C trace parent in a header; one in the attributes wins. */
  readonly traceparent?: string | undefined;
  /** How long the run may take, ms; no call is begun that could take longer. */
  readonly budgetMs: number;
  /** Aborted: no further call is begun, the one under way is finished. */
  readonly signal?: AbortSignal;
  /** Entries in the activity log of the integration; never throws. */
  readonly feed: Pick<ActivityFeed, 'info' | 'warning'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Settings of the action, from the environment. */
export interface PushSettings {
  readonly eventType: string;
  readonly idAttribute: string;
  /** Limit of one call, ms. */
  readonly timeoutMs: number;
  readonly maxAgeMs: number;
}

/** What pushing works with; made once per process. */
export interface PushDeps {
  readonly clock: Clock;
  /** By which a text is too old. */
  readonly time: BelievedTime;
  readonly random: Random;
  readonly tracing: Tracing;
  readonly metrics: Pick<Context['metrics'], 'count'>;
  readonly ledger: Ledger;
  readonly turns: KeyedMutex;
  readonly inbound: Pick<Inbound, 'sendText'>;
  readonly deadLetters: DeadLetters;
  readonly settings: PushSettings;
}
