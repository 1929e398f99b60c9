import { entryOf, isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import { endingOf, printableJson, type ExitCode, type Shell } from '@ranger-relay/terminal';
import type { Output } from './flags.ts';
import { invalidBundle } from './invalid-bundle.ts';

/** What a command has to say at its end. */
export interface Result {
  /** For --output json; members of their own, without `ok`. */
  readonly json: object;
  readonly lines: readonly string[];
  readonly code: ExitCode;
}

/** The call was interrupted before it wrote anything, or anything more. */
export const interruption = (state = 'nothing was written'): RelayError =>
  new RelayError('interrupted', { details: { state } });

/** A site that is not asked any more since somebody interrupted is not away. */
const reasonOf = (shell: Shell, error: unknown): unknown =>
  isRelayError(error, 'site_unavailable') && shell.interrupted().aborted ? interruption() : error;

/** Runs the work of a command and prints what it says; a failure is printed in the same form, with its reason from the registry. */
export const act = async (shell: Shell, output: Output, work: () => Promise<Result>): Promise<void> => {
  const end = (code: ExitCode): void => {
    if (code !== 0) shell.fail(code);
  };
  try {
    const result = await work();
    shell.progress('');
    if (output === 'json') shell.out(printableJson({ ok: result.code === 0, ...result.json }));
    else for (const line of result.lines) shell.out(line);
    end(result.code);
  } catch (thrown) {
    shell.progress('');
    const error = reasonOf(shell, thrown);
    if (isRelayError(error, 'bundle_invalid')) {
      const { lines, json } = invalidBundle(error);
      if (output === 'json') shell.out(printableJson({ ok: false, ...json }));
      else for (const line of lines) shell.err(line);
      return end(1);
    }
    if (output !== 'json') throw error;
    const { code, message, details } = toRelayError(error);
    shell.out(printableJson({ ok: false, reason: code, message, details, check: entryOf(code).check }));
    end(endingOf(error).code);
  }
};
