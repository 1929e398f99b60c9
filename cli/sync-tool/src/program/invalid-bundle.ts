import { entryOf, type ErrorCode, type RelayError } from '@ranger-relay/errors';
import { printable } from '@ranger-relay/terminal';
import { problemsOf } from '../bundle/findings.ts';

interface InvalidBundleJson {
  readonly reason: ErrorCode;
  readonly message: string;
  readonly path: string;
  readonly total: number;
  readonly problems: readonly string[];
  readonly check: string;
}

/** What is said of a bundle that cannot be used. */
export interface InvalidBundle {
  /** Each problem on a line, then how many there are and what to look at. */
  readonly lines: readonly string[];
  /** For --output json; `problems` holds the first ones of `total`. */
  readonly json: InvalidBundleJson;
}

/** Reads an error `bundle_invalid`. */
export const invalidBundle = (error: RelayError): InvalidBundle => {
  const problems = problemsOf(error);
  const { path, count, total } = error.details;
  const { check } = entryOf(error.code);
  const message = printable(`The bundle ${String(path)} cannot be used: ${String(count)}.`);
  return {
    lines: [...problems.map((problem) => printable(problem)), message, `Check: ${check}`],
    json: { reason: error.code, message, path: String(path), total: Number(total), problems, check },
  };
};
