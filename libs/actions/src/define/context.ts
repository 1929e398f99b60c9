import type { RecordOrigin } from '@ranger-relay/bus';
import type { TriggeredBy } from '@ranger-relay/contracts';
import type { Clock, Logger, Random } from '@ranger-relay/runtime';
import type { ActionState } from '../state/action-state.ts';

/** The integration of a run. */
export interface RunIntegration {
  /** Null while the integration is not saved. */
  readonly id: string | null;
  readonly name: string | null;
  readonly baseUrl: string | null;
  /** Slug of its type. */
  readonly type: string;
}

/**
 * Writes a handler's own entries to the activity feed of the integration. Never throws and never waits; masks secrets of the configuration.
 */
export interface ActivityFeed {
  /** @param title at most 200 characters */
  debug(title: string, data?: Readonly<Record<string, unknown>>): void;
  info(title: string, data?: Readonly<Record<string, unknown>>): void;
  warning(title: string, data?: Readonly<Record<string, unknown>>): void;
  error(title: string, data?: Readonly<Record<string, unknown>>): void;
}

/** The context that a handler receives. */
export interface ActionContext<Config = Readonly<Record<string, unknown>>, Data = unknown, Tools = unknown> {
  readonly integration: RunIntegration;
  readonly actionId: string;
  /** Stored configuration with the overrides of the call, parsed by the action's model. */
  readonly config: Config;
  /** The pushed data, parsed by the action's model; undefined in other runs. */
  readonly data: Data;
  /** Attributes of the pushed message. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly triggeredBy: TriggeredBy;
  /** Id of the message or event that requested the run; undefined when it has none. */
  readonly deliveryId: string | undefined;
  /** Number of deliveries of the message, including this one. */
  readonly attempt: number;
  /** When the message arrived, ms since 1970. */
  readonly receivedAt: number;
  /** Position of the message on the bus; null when it came another way. */
  readonly origin: RecordOrigin | null;
  /** W3C trace parent from a header of the message, unchanged. */
  readonly traceparent: string | undefined;
  /** Aborted when the time is over, the lease is lost, the process ends or the handler has ended; pass it to every call. */
  readonly signal: AbortSignal;
  /** Share of the execution time that has passed, 0 to 1. */
  timeUsed(): number;
  /** Execution time that is left, ms. */
  timeLeft(): number;
  /** State of this action of this integration (platform contract, state and cache keys). */
  readonly state: ActionState;
  readonly feed: ActivityFeed;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Shared tools of the service, such as clients of other systems. */
  readonly tools: Tools;
  /** State of another action of the integration. */
  stateOf(actionId: string): ActionState;
  /** Stored settings of another action of the integration, such as `auth`; null when it has none. @throws RelayError of the platform */
  configOf(actionId: string): Promise<unknown>;
  /**
   * As `configOf`, but with data at most 10 s old: for actions that cannot be undone.
   * @throws RelayError `platform_unavailable`
   */
  currentConfigOf(actionId: string): Promise<unknown>;
  /** Requests another run, which starts after this one has succeeded and its lease is released. */
  goOn(overrides?: Readonly<Record<string, unknown>>): void;
}
