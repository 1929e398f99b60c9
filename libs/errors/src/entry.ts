/**
 * What happens next to the work that failed:
 * `retry` – the same work again later; `dead` – to the dead letters, then on;
 * `skip` – drop it, counted; `alert` – stop, a person must act.
 */
export type Next = 'retry' | 'dead' | 'skip' | 'alert';

/** One registered failure. Codes are an API: never rename one, add another. */
export interface ErrorEntry {
  /** What happens to the work. */
  readonly next: Next;
  /** Status of an HTTP answer that reports this failure. */
  readonly status: number;
  /** The sentence people see: names the thing and the remedy; `{name}` is filled from the error's details. */
  readonly text: string;
  /** What a person checks first, for the failure-modes page. */
  readonly check: string;
  /** The failure is confined to one integration by its nature (a refused key), not an outage. */
  readonly confined?: true;
}

/** Keeps the literal codes of a part of the registry while checking each entry. */
export const entries = <Code extends string>(part: Record<Code, ErrorEntry>): Record<Code, ErrorEntry> => part;
