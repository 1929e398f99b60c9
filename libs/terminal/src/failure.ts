import { entryOf, isRelayError, toRelayError, type ErrorCode } from '@ranger-relay/errors';
import { CommanderError } from 'commander';
import { printable } from './format.ts';

/** How a command ends: 0 done, 1 it failed or something of it did, 2 the call itself was wrong, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

const codes: Readonly<Partial<Record<ErrorCode, ExitCode>>> = { usage: 2, interrupted: 130 };

/** What a thrown value means for the person at the terminal. */
export interface Ending {
  readonly code: ExitCode;
  /** For standard error; what is wrong, then what to look at. */
  readonly lines: readonly string[];
}

/**
 * The ending that a thrown value leads to. Registered errors become their sentence and what to check; an unexpected one also tells its
 * cause, since the terminal has no log.
 */
export const endingOf = (thrown: unknown): Ending => {
  if (thrown instanceof CommanderError) return { code: thrown.exitCode === 0 ? 0 : 2, lines: [] };
  const error = toRelayError(thrown);
  const cause = !isRelayError(thrown) && thrown instanceof Error ? `: ${thrown.message}` : '';
  return {
    code: codes[error.code] ?? 1,
    lines: [...`${error.message}${cause}`.split('\n'), `Check: ${entryOf(error.code).check}`].map(printable),
  };
};
