import type { DeadLetter, TriggeredBy } from '@ranger-relay/contracts';
import type { Clock, Logger, Random } from '@ranger-relay/runtime';
import type { ActionState } from '../state/action-state.ts';

/** The integration that a run is for. */
export interface RunIntegration {
  /** Null while the integration is not saved yet. */
  readonly id: string | null;
  readonly name: string | null;
  readonly baseUrl: string | null;
  /** Slug of its type. */
  readonly type: string;
}

/** Entries of a handler's own in the activity feed of the integration. Never throws, never waits; secrets of the configuration are masked. */
export interface ActivityFeed {
  /** @param title at most 200 characters */
  debug(title: string, data?: Readonly<Record<string, unknown>>): void;
  info(title: string, data?: Readonly<Record<string, unknown>>): void;
  warning(title: string, data?: Readonly<Record<string, unknown>>): void;
  error(title: string, data?: Readonly<Record<string, unknown>>): void;
}

/** What a handler gets. */
export interface ActionContext<Config = Readonly<Record<string, unknown>>, Data = unknown, Tools = unknown> {
  readonly integration: RunIntegration;
  readonly actionId: string;
  /** Stored configuration with the overrides of the call, as the action's model read it. */
  readonly config: Config;
  /** The pushed data as the action's model read it; undefined in other runs. */
  readonly data: Data;
  /** Attributes of the pushed message. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly triggeredBy: TriggeredBy;
  /** Id of the message or event that asked for the run; undefined when it has none. */
  readonly deliveryId: string | undefined;
  /** Deliveries of that message so far, this one included. */
  readonly attempt: number;
  /** When the message came, ms since 1970. */
  readonly receivedAt: number;
  /** Where on the bus the message lies; null when it came another way. */
  readonly origin: DeadLetter['origin'];
  /** W3C trace parent that the message came with in a header, as it came. */
  readonly traceparent: string | undefined;
  /** Aborted when the time is over, the lease is lost or the process ends; hand it to every call. */
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
  /** What the service gives to all of its handlers, such as clients of other systems. */
  readonly tools: Tools;
  /** State of another action of the integration. */
  stateOf(actionId: string): ActionState;
  /** Stored settings of another action of the integration, such as `auth`; null when it has none. @throws RelayError of the platform */
  configOf(actionId: string): Promise<unknown>;
  /**
   * As `configOf`, with what the platform has had within the last 10 s: for what cannot be taken back.
   * @throws RelayError `platform_unavailable`
   */
  currentConfigOf(actionId: string): Promise<unknown>;
  /** Asks for another run, which starts after this one has ended well and its lease is released. */
  goOn(overrides?: Readonly<Record<string, unknown>>): void;
}
