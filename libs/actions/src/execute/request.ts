import type { DeadLetter, TriggeredBy } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import type { Failure } from '../failure/classify.ts';

/** An integration that is not saved yet, as the portal describes it (platform contract, runner). */
export interface UnsavedIntegration {
  readonly type: string | null;
  readonly baseUrl: string | null;
  /** Data by action id. */
  readonly configurations: Readonly<Record<string, unknown>>;
}

/** What is to be run: the action by its id, or the push action that takes the data. */
export type Wanted =
  | { readonly actionId: string }
  /** `data` is the whole pushed data, `model` its `event_type`. */
  | {
      readonly model: string;
      readonly data: unknown;
      readonly attributes: Readonly<Record<string, string>>;
    };

/** A message, by where it came from and its id there. */
export interface MessageRef {
  /** Topic or endpoint; ids of two of them have nothing to do with each other. */
  readonly from: string;
  /** Message or event id. */
  readonly id: string;
}

/** One wish to run an action. */
export interface ExecuteRequest {
  readonly integration: { readonly id: string } | { readonly unsaved: UnsavedIntegration };
  readonly wanted: Wanted;
  /** Win over the stored configuration, member by member. */
  readonly overrides?: Readonly<Record<string, unknown>> | null;
  readonly triggeredBy: TriggeredBy;
  /** The message that asks for it; one that was worked on within an hour is not run again. */
  readonly message?: MessageRef | undefined;
  /** Deliveries so far, this one included; 1 when left out. */
  readonly attempt?: number;
  /** When the message came, ms since 1970; now when left out. */
  readonly receivedAt?: number;
  /** Where on the bus the message lies; null when left out. */
  readonly origin?: DeadLetter['origin'];
  /** W3C trace parent that the message came with in a header. */
  readonly traceparent?: string | undefined;
  /** Goes on where the run before has stopped. */
  readonly selfTriggered?: boolean;
  /** What has to be durable before the message counts as done with, such as its dead letter. What it throws makes the outcome `refused`. */
  readonly onEnd?: (outcome: ExecuteOutcome) => Promise<void>;
}

/** Why a run was skipped quietly. */
export type SkipReason =
  | 'integration_disabled'
  | 'no_configuration'
  | 'invalid_configuration'
  | 'run_on_schedule_disabled'
  | 'already_running';

/** What is told about a run that did not succeed: the payload of Failed entries with the type of the error, without secrets. */
export interface FailureReport {
  readonly integration_id: string | null;
  readonly action_id: string | null;
  readonly config_data: unknown;
  readonly error: string;
  readonly error_traceback: string;
  readonly request_verb?: string;
  readonly request_url?: string;
  readonly request_data?: unknown;
  readonly server_response_status?: number;
  readonly server_response_body?: unknown;
  readonly error_type: Failure['type'];
}

/** What became of a wish to run an action. */
export type ExecuteOutcome =
  /** `result` is what JSON can hold; null when the handler returned nothing. */
  | { readonly kind: 'complete'; readonly result: unknown }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  /** Worked on before. */
  | { readonly kind: 'repeated' }
  /** Not started; `error.next` says whether a repeat can help. */
  | { readonly kind: 'refused'; readonly error: RelayError; readonly report: FailureReport }
  /** The handler failed. `result` answers a caller whose message is done with. */
  | {
      readonly kind: 'failed';
      readonly transient: boolean;
      readonly report: FailureReport;
      readonly retryAfterMs?: number;
      readonly result?: unknown;
      /** It is in the dead letters already. */
      readonly deadLettered: boolean;
    }
  | { readonly kind: 'timed_out'; readonly report: FailureReport }
  /** Too many runs. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number; readonly report: FailureReport };
