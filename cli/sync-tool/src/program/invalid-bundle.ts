import { entryOf, type RelayError } from '@ranger-relay/errors';
import { printable } from '@ranger-relay/terminal';
import { problemsOf } from '../bundle/findings.ts';

/** What is said of a bundle that cannot be used. */
export interface InvalidBundle {
  /** Each problem on a line, then how many there are and what to look at. */
  readonly lines: readonly string[];
  /** For --output json; `problems` is a list. */
  readonly json: object;
}

/** Reads an error `bundle_invalid`. */
export const invalidBundle = (error: RelayError): InvalidBundle => {
  const problems = problemsOf(error);
  const { path, count, total } = error.details;
  const { check } = entryOf(error.code);
  const message = printable(`The bundle ${String(path)} cannot be used: ${String(count)}.`);
  return {
    lines: [...problems.map((problem) => printable(problem)), message, `Check: ${check}`],
    json: { reason: error.code, message, path, total, problems, check },
  };
};
