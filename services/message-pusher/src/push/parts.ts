import type { DeadLetter } from '@ranger-relay/contracts';
import type { Inbound } from '@ranger-relay/device';
import type { Clock, Logger, Random } from '@ranger-relay/runtime';
import type { Ledger } from '../ledger/ledger.ts';
import type { Turns } from './turns.ts';

/** One push of the platform, or one record of `outbound-messages`. */
export interface PushInput {
  /** Attribute `destination_id`. */
  readonly integrationId: string;
  readonly enabled: boolean;
  /** Data of the integration's `auth` configuration; null without one. */
  readonly auth: unknown;
  readonly attributes: Readonly<Record<string, string>>;
  /** As parsed from JSON. */
  readonly data: unknown;
  /** Of the envelope; null on a bus. */
  readonly messageId: string | null;
  /** ms since 1970. */
  readonly receivedAt: number;
  /** Where on a bus it came from. */
  readonly origin: DeadLetter['origin'];
  /** How long the run may take, ms; no call is begun that could take longer. */
  readonly budgetMs: number;
  /** Aborted: no further call is begun, the one under way is finished. */
  readonly signal?: AbortSignal;
}

/** Settings of the action, from the environment. */
export interface PushSettings {
  readonly eventType: string;
  readonly idAttribute: string;
  /** Limit of one call, ms. */
  readonly timeoutMs: number;
  readonly maxAgeMs: number;
}

/** Takes entries for the activity log of an integration; never blocks. */
export interface ActivitySink {
  action(
    kind: 'Failed' | 'CustomLog',
    integrationId: string,
    actionId: string,
    payload: Readonly<Record<string, unknown>>,
  ): void;
}

/** Stores a dead letter under a key. @throws RelayError when it is not stored */
export type PublishDeadLetter = (key: string, letter: DeadLetter) => Promise<void>;

/** What pushing works with; made once per process. */
export interface PushDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly ledger: Ledger;
  readonly turns: Turns;
  readonly inbound: Pick<Inbound, 'sendText'>;
  readonly activity: ActivitySink;
  readonly publishDeadLetter: PublishDeadLetter;
  readonly settings: PushSettings;
}

/** Name of the action. */
export const pushActionId = 'push_messages';
