import { entryOf, type ErrorCode, isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import { CommanderError } from 'commander';
import { printable } from './format.ts';

/** Exit code of a command: 0 done, 1 failed, wholly or in part, 2 invalid call, 3 done except for what was left on purpose, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

const codes: Readonly<Partial<Record<ErrorCode, ExitCode>>> = { usage: 2, interrupted: 130 };

/** The exit code and messages for a thrown value. */
export interface Ending {
  readonly code: ExitCode;
  /** Lines for standard error: the problem, then what to check. */
  readonly lines: readonly string[];
}

/**
 * Maps a thrown value to its ending. A registered error becomes its message and what to check; an unexpected error also shows its cause,
 * because the terminal has no log.
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

/** A call that cannot be carried out as it was typed; the program ends with 2. @param problem a sentence */
export const usage = (problem: string): RelayError => new RelayError('usage', { details: { problem } });
