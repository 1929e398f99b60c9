import type { Client } from '../http/client.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { Answered } from './tally.ts';

/** How the vendor identifies itself: its own header, a bearer token, or not at all. */
export type VendorAuth = { readonly header: string } | { readonly bearer: string } | 'none';

/** How to set up the vendor's feed to one customer. */
export interface VendorOptions {
  /** Whole address, path and query included. */
  readonly targetUrl: string;
  readonly auth: VendorAuth;
  readonly headers?: Readonly<Record<string, string>>;
  /** `Version` of the envelopes; default `3.0`. */
  readonly version?: string;
  /** Most events in one POST; default 50. */
  readonly maxEventsPerPost?: number;
  /** POSTs at the same time; a device always uses the same one, so its order holds. Default 1. */
  readonly connections?: number;
  /** How long it waits for an answer, real milliseconds; default 30,000. */
  readonly clientTimeoutMs?: number;
  /** Time of retries, pauses and expiry; `fastClock` speeds it up. */
  readonly clock: Clock;
  readonly random: Random;
  /** JSON-lines file; what was not acknowledged survives a kill and is sent by the next run. */
  readonly stateFile?: string;
  readonly onAnswer?: (answered: Answered) => void;
  /** Makes the POSTs; closed with the vendor. Default: over real connections, other ones for each line. */
  readonly client?: Client;
}

/**
 * Misbehaviour of a vendor: close before the answer comes, post an acknowledged body again, post a body twice at the same time, use a wrong
 * token, or regroup events when it retries.
 */
export type Misbehaviour = 'close_before_answer' | 'repeat' | 'parallel' | 'wrong_token' | 'regroup';
