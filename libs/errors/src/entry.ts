/**
 * What happens to the failed work: `retry` – it is repeated later; `dead` – it is dead-lettered; `skip` – it is dropped and counted; `alert` –
 * it stops until an operator acts.
 */
export type Next = 'retry' | 'dead' | 'skip' | 'alert';

/** One registered failure. Codes are an API: never rename one; add another. */
export interface ErrorEntry {
  /** What happens to the work. */
  readonly next: Next;
  /** Status of an HTTP response that reports this failure. */
  readonly status: number;
  /** The sentence for users: it names the object and the remedy; the error's details replace `{name}`. */
  readonly text: string;
  /** What an operator checks first, for the failure-modes page. */
  readonly check: string;
  /** The failure always concerns a single integration (a refused key), not an outage. */
  readonly confined?: true;
}

/** Keeps the literal codes of a part of the registry while checking each entry. */
export const entries = <Code extends string>(part: Record<Code, ErrorEntry>): Record<Code, ErrorEntry> => part;
