import type { RecordOrigin } from '@ranger-relay/bus';
import type { ActivityPayloads, TriggeredBy } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import type { Failure } from '../failure/classify.ts';

/** An unsaved integration, as the portal describes it (platform contract, runner). */
export interface UnsavedIntegration {
  readonly type: string | null;
  readonly baseUrl: string | null;
  /** Data by action id. */
  readonly configurations: Readonly<Record<string, unknown>>;
}

/** What to run: an action by its id, or the push action that accepts the data. */
export type Wanted =
  | { readonly actionId: string }
  /** `data` is the complete pushed data, `model` its `event_type`. */
  | {
      readonly model: string;
      readonly data: unknown;
      readonly attributes: Readonly<Record<string, string>>;
    };

/** A message, identified by its source and its id. */
export interface MessageRef {
  /** Topic or endpoint; ids of different sources are unrelated. */
  readonly from: string;
  /** Message or event id. */
  readonly id: string;
}

/** A request to run an action. */
export interface ExecuteRequest {
  readonly integration: { readonly id: string } | { readonly unsaved: UnsavedIntegration };
  readonly wanted: Wanted;
  /** Override members of the stored configuration. */
  readonly overrides?: Readonly<Record<string, unknown>> | null;
  readonly triggeredBy: TriggeredBy;
  /** The message that requests the run; a message that was processed within the last hour does not run again. */
  readonly message?: MessageRef | undefined;
  /** Number of deliveries, including this one; defaults to 1. */
  readonly attempt?: number;
  /** When the message arrived, ms since 1970; defaults to now. */
  readonly receivedAt?: number;
  /** Position of the message on the bus; null when omitted. */
  readonly origin?: RecordOrigin | null;
  /** W3C trace parent from a header of the message. */
  readonly traceparent?: string | undefined;
  /** Whether the run continues an earlier run. */
  readonly selfTriggered?: boolean;
  /** Writes that must be durable before the message is acknowledged, such as its dead letter. If it throws, the outcome is `refused`. */
  readonly onEnd?: (outcome: ExecuteOutcome) => Promise<void>;
}

export const skipReasons = [
  'integration_disabled',
  'no_configuration',
  'invalid_configuration',
  'run_on_schedule_disabled',
  'already_running',
] as const;

/** The reason why a run was skipped. */
export type SkipReason = (typeof skipReasons)[number];

/** The report of an unsuccessful run: the payload of Failed entries with the type of the error, without secrets. */
export type FailureReport = ActivityPayloads['Failed'] & {
  readonly integration_id: string | null;
  readonly action_id: string | null;
  readonly error_type: Failure['type'];
};

/** The outcome of a request to run an action. */
export type ExecuteOutcome =
  /** `result` is valid JSON; null when the handler returned nothing. */
  | { readonly kind: 'complete'; readonly result: unknown }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  /** Already processed. */
  | { readonly kind: 'repeated' }
  /** Not started; `error.next` says whether a retry can help. */
  | { readonly kind: 'refused'; readonly error: RelayError; readonly report: FailureReport }
  /** The handler failed. `result` is the response to a caller whose message is acknowledged. */
  | {
      readonly kind: 'failed';
      readonly transient: boolean;
      readonly report: FailureReport;
      readonly retryAfterMs?: number;
      readonly result?: unknown;
      /** Already dead-lettered. */
      readonly deadLettered: boolean;
    }
  | { readonly kind: 'timed_out'; readonly report: FailureReport }
  /** Too many concurrent runs. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number; readonly report: FailureReport };
