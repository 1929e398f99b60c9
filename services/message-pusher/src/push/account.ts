import { isDeepStrictEqual } from 'node:util';
import { isRelayError, toRelayError, type RelayError } from '@ranger-relay/errors';
import type { Failure } from '../failures/failure.ts';
import type { PushInput } from './parts.ts';

/** An account that cannot be used is often one that somebody is about to enter: its texts wait for so long, ms. */
export const accountPatienceMs = 10 * 60_000;

/** Codes of the vendor that find fault with the text itself, whatever the account: its length, and what goes with it. */
const codesOfText: ReadonlySet<number | string> = new Set([5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);

/** Our own refusals of an account. */
const isUnusable = (error: RelayError): boolean =>
  isRelayError(error, 'push_unconfigured', 'vendor_address_invalid', 'http_address_refused', 'http_scheme_refused');

/** What a final failure rests on. */
export interface Judged {
  /** The vendor has said so. */
  readonly isRefused: boolean;
  readonly failure: Pick<Failure, 'error'>;
  /** The vendor's code, or ours. */
  readonly code: number | string;
  /** For how long the text has been tried, ms. */
  readonly ageMs: number;
}

/**
 * Why a text is not given up yet, although the account that it was to be sent with does not serve: the account may have been read from a cache, and
 * it has changed, cannot be asked for now, or may still be entered. Undefined when the failure is final.
 */
export const accountProblem = async (
  { auth, currentAuth }: Pick<PushInput, 'auth' | 'currentAuth'>,
  { isRefused, failure: { error }, code, ageMs }: Judged,
): Promise<RelayError | undefined> => {
  if (!isUnusable(error) && (!isRefused || codesOfText.has(code))) return undefined;
  try {
    if (!isDeepStrictEqual(await currentAuth(), auth)) return error;
  } catch (thrown) {
    return toRelayError(thrown);
  }
  return isUnusable(error) && ageMs < accountPatienceMs ? error : undefined;
};
