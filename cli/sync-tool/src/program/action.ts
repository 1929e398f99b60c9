import { type ErrorCode, isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import { endingOf, type ExitCode, printableJson, type Shell } from '@ranger-relay/terminal';
import type { Command } from 'commander';
import { type Facts, type Note, writeSummary } from '../summary/write.ts';
import { commandWords, isDryRun, type Output, summaryPath } from './flags.ts';
import { errorJson, invalidBundle } from './failures.ts';

/** The result of a command. */
export interface Result {
  /** The JSON output, without the member `ok`. */
  readonly json: object;
  readonly lines: readonly string[];
  readonly code: ExitCode;
  /** The reason when the code is not 0. */
  readonly reason?: ErrorCode;
}

/** A call of a command. */
export interface Calling {
  readonly shell: Shell;
  readonly command: Command;
  readonly output: Output;
}

/** Creates the error of an interrupted call; `state` says what was written. */
export const interruption = (state = 'nothing was written'): RelayError =>
  new RelayError('interrupted', { details: { state } });

/** Replaces `site_unavailable` after an interruption: the call stopped its requests, the site is not down. */
const reasonOf = (shell: Shell, error: unknown): unknown =>
  isRelayError(error, 'site_unavailable') && shell.interrupted().aborted ? interruption() : error;

/** Ends a call: sets the exit code and writes the summary if one is requested. */
const end = async ({ shell, command }: Calling, code: ExitCode, reason: string | null, facts: Facts): Promise<void> => {
  if (code !== 0) shell.fail(code);
  const path = summaryPath(shell, command);
  if (path === undefined) return;
  const ended = { command: commandWords(command), dryRun: isDryRun(command), code, reason, facts };
  await writeSummary(shell, path, ended);
};

const endWith = async (call: Calling, result: Result, facts: Facts): Promise<void> => {
  const { shell, output } = call;
  const { code, reason, json } = result;
  if (output === 'json') shell.out(printableJson({ ok: code === 0, reason, ...json }));
  else for (const line of result.lines) shell.out(line);
  await end(call, code, reason ?? null, facts);
};

const endWithBadBundle = async (call: Calling, error: RelayError, facts: Facts): Promise<void> => {
  const { shell, output } = call;
  const { lines, json } = invalidBundle(error);
  if (output === 'json') shell.out(printableJson({ ok: false, ...json }));
  else for (const line of lines) shell.err(line);
  const { message, problems, total } = json;
  const left_out = total - problems.length;
  await end(call, 1, error.code, { ...facts, message, problems: { items: [...problems], left_out } });
};

/** Ends a failed call. For text output the caller prints the error. @throws the given error, for text output */
const endWithError = async (call: Calling, error: unknown, facts: Facts): Promise<void> => {
  const { shell, output } = call;
  const known = toRelayError(error);
  const { code: reason, message } = known;
  const { code, lines } = endingOf(error);
  await end(call, code, reason, { ...facts, message: lines[0] ?? message });
  if (output !== 'json') throw error;
  shell.out(printableJson({ ok: false, ...errorJson(known) }));
};

/** Runs the work of a command and prints its result; a failure is printed in the same format, with its reason from the registry. */
export const act = async (call: Calling, work: (note: Note) => Promise<Result>): Promise<void> => {
  const { shell } = call;
  let facts: Facts = {};
  const note: Note = (more) => {
    facts = { ...facts, ...more };
  };
  try {
    const result = await work(note);
    shell.progress('');
    await endWith(call, result, facts);
  } catch (thrown) {
    shell.progress('');
    const error = reasonOf(shell, thrown);
    if (isRelayError(error, 'bundle_invalid')) await endWithBadBundle(call, error, facts);
    else await endWithError(call, error, facts);
  }
};
