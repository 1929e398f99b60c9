import { entryOf, isRelayError } from '@ranger-relay/errors';
import { printable, type Shell } from '@ranger-relay/terminal';
import { problemsOf } from '../bundle/index.ts';
import type { Output } from '../program/flags.ts';
import type { Result } from '../program/action.ts';

/**
 * What a command says of a bundle that cannot be used: each problem on a line of standard error, then how many there are, or a list of them as
 * data. @throws what was thrown when it is something else
 */
export const invalidBundle = (shell: Shell, output: Output, thrown: unknown): Result => {
  if (!isRelayError(thrown) || thrown.code !== 'bundle_invalid') throw thrown;
  const problems = problemsOf(thrown);
  const { path, count, total } = thrown.details;
  const { check } = entryOf(thrown.code);
  if (output === 'text') {
    shell.progress('');
    for (const problem of problems) shell.err(printable(problem));
    shell.err(printable(`The bundle ${String(path)} cannot be used: ${String(count)}.`));
    shell.err(`Check: ${check}`);
  }
  return { code: 1, lines: [], json: { reason: thrown.code, path, total, problems, check } };
};
