import type { Next } from './entry.ts';
import { entryOf, type ErrorCode } from './registry.ts';
import { escapedText } from './text.ts';

/** Values that fill the `{name}` places of an entry's text. Never secrets, bodies or positions. */
export type Details = Readonly<Record<string, string | number | boolean | null>>;

/** What an error carries beside its code. */
export interface ErrorOptions {
  readonly details?: Details;
  readonly cause?: unknown;
  /** Milliseconds that the other side asked to wait (Retry-After). */
  readonly retryAfterMs?: number;
  /** The request may have been carried out although no answer came. */
  readonly ambiguous?: boolean;
  /** Overrides the entry where only the occasion knows (an HTTP status decides it). */
  readonly next?: Next;
}

const fill = (text: string, details: Details): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => escapedText(String(details[name] ?? name)));

/** The one error type that crosses packages: a registered code with its details. */
export class RelayError extends Error {
  override readonly name = 'RelayError';
  readonly code: ErrorCode;
  readonly details: Details;
  readonly next: Next;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly ambiguous: boolean;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    const entry = entryOf(code);
    const details = options.details ?? {};
    super(fill(entry.text, details), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = details;
    this.next = options.next ?? entry.next;
    this.status = entry.status;
    this.retryAfterMs = options.retryAfterMs;
    this.ambiguous = options.ambiguous ?? false;
  }

  /** The failure touches one integration only, by its nature. */
  get confined(): boolean {
    return entryOf(this.code).confined ?? false;
  }
}

/** Narrows an unknown thrown value to a registered error with one of the codes (any code when none is named). */
export const isRelayError = (error: unknown, ...codes: ErrorCode[]): error is RelayError =>
  error instanceof RelayError && (codes.length === 0 || codes.includes(error.code));

/** Any thrown value as a registered error; an unknown one becomes `internal` with the original as its cause. */
export const toRelayError = (error: unknown): RelayError =>
  error instanceof RelayError ? error : new RelayError('internal', { cause: error });
