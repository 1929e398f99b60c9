/** What kind of thing came to the door. */
export type ItemKind = 'observation' | 'message' | 'event' | 'event_change' | 'attachment';

/**
 * What became of an item: `stored`; `duplicate` of a marked one, dropped; `marked` as seen but not stored, as a failing platform
 * does; `refused` with its list by a 4xx; `failed` before anything was done with it.
 */
export type Outcome = 'stored' | 'duplicate' | 'marked' | 'refused' | 'failed';

/** An item as it came, before deduplication. */
export interface Arrival {
  /** Null when the key belongs to no integration. */
  readonly integration: string | null;
  readonly kind: ItemKind;
  readonly outcome: Outcome;
  /** Status of the answer; 0 when none was given. */
  readonly status: number;
  readonly object_id?: string;
  readonly item: unknown;
}

/** A line of the door log. */
export interface DoorEntry extends Arrival {
  /** Order of arrival, from 0. */
  readonly seq: number;
  /** Number of the request that brought it, growing. */
  readonly request: number;
  /** Arrival, ms since 1970. */
  readonly at: number;
  /** Address that it came from; null when the connection was already gone. */
  readonly caller: string | null;
}

/** A line of the door log with what is known about its answer. */
export interface SeenEntry extends DoorEntry {
  /** True when the whole answer was handed to the network, false when not, null when it has not been decided or is not known. */
  readonly answered: boolean | null;
  /** When that was decided, ms since 1970. */
  readonly answered_at: number | null;
}
