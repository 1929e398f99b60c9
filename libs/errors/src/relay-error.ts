import type { Next } from './entry.ts';
import { entryOf, type ErrorCode } from './registry.ts';
import { escapedText } from './text.ts';

/** Values for the `{name}` places of an entry's text. Never secrets, bodies or positions. */
export type Details = Readonly<Record<string, string | number | boolean | null>>;

/** Members of an error besides its code. */
export interface ErrorOptions {
  readonly details?: Details;
  readonly cause?: unknown;
  /** Wait that the server requested (Retry-After), ms. */
  readonly retryAfterMs?: number;
  /** True when the server may have processed the request although there was no response. */
  readonly ambiguous?: boolean;
  /** Overrides the entry where only the caller can decide, for example by an HTTP status. */
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

  /** Whether the failure always concerns a single integration. */
  get confined(): boolean {
    return entryOf(this.code).confined ?? false;
  }
}

/** Narrows an unknown thrown value to a registered error with one of the codes (any code when none is named). */
export const isRelayError = (error: unknown, ...codes: ErrorCode[]): error is RelayError =>
  error instanceof RelayError && (codes.length === 0 || codes.includes(error.code));

/** Converts any thrown value to a registered error; an unknown one becomes `internal` with the original as its cause. */
export const toRelayError = (error: unknown): RelayError =>
  error instanceof RelayError ? error : new RelayError('internal', { cause: error });
