import { resolve } from 'node:path';
import type { SyncStep } from '@ranger-relay/contracts';
import { entryOf, type ErrorCode, isRelayError, RelayError } from '@ranger-relay/errors';
import { type ExitCode, printable, type Shell } from '@ranger-relay/terminal';
import { problemsOf } from '../bundle/findings.ts';
import type { Failure, RunResult } from '../run/run.ts';
import { endsRun } from '../run/tally.ts';
import type { SiteFlags } from './inputs.ts';
import { firstNames, permissionsOf, stepNames } from '../resources/index.ts';

/**
 * Formats an error `bundle_invalid`: one line per problem, then their number and what to check; for `--output json`, `problems` holds the first
 * of `total` problems.
 */
export const invalidBundle = (error: RelayError) => {
  const problems = problemsOf(error);
  const { path, count, total } = error.details;
  const { check } = entryOf(error.code);
  const message = printable(`The bundle ${String(path)} cannot be used: ${String(count)}.`);
  return {
    lines: [...problems.map((problem) => printable(problem)), message, `Check: ${check}`],
    json: { reason: error.code, message, path: String(path), total: Number(total), problems, check },
  };
};

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, quoted(String(value))];

const file = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));

/** How this tool was called: npx finds what is not on the PATH. */
const called = ({ env }: Pick<Shell, 'env'>): string => (env['npm_command'] === 'exec' ? 'npx sync-tool' : 'sync-tool');

/**
 * Formats a call for pasting into a shell, from any folder, with the same connection to the site. A token given on the command line is
 * replaced by `$SITE_TOKEN`, so that it is not printed.
 */
export const callHint = (shell: Pick<Shell, 'env'>, words: readonly string[], flags: SiteFlags): string =>
  [
    called(shell),
    ...words.map(quoted),
    ...option('--site-endpoint', flags.siteEndpoint),
    ...(flags.siteToken === undefined ? [] : ['--site-token "$SITE_TOKEN"']),
    ...option('--site-token-file', file(flags.siteTokenFile)),
    ...option('--ca-file', file(flags.caFile)),
    ...option('--config', file(flags.config)),
  ].join(' ');

/** The call that finishes a run; undefined for one without a record. */
export const resumeHint = (
  shell: Pick<Shell, 'env'>,
  { record }: Pick<RunResult, 'record'>,
  flags: SiteFlags,
): string | undefined => (record === null ? undefined : callHint(shell, ['resume', record], flags));

/** The failed steps with their errors. */
export type Failures = ReadonlyMap<SyncStep, RelayError>;

const refusedJson = ({ error, count, objects }: Failure): object => ({
  reason: error.code,
  message: error.message,
  count,
  objects,
});

const objectsText = ({ objects, count }: Failure): string =>
  objects.length === 0 ? '' : `${firstNames(objects, count)}: `;

/**
 * Formats a failure: the step, the objects that it concerns, the error and, for a missing permission, its name (site contract, 1, errors).
 */
export const failureText = (step: SyncStep, error: RelayError, failures: readonly Failure[] = []): string => {
  const needs = isRelayError(error, 'site_forbidden') ? `; this step needs ${permissionsOf[step]}` : '';
  const failure = failures.find((each) => each.error === error);
  return `${stepNames[step]}: ${failure ? objectsText(failure) : ''}${error.message}${needs}`;
};

/** The same as JSON data. */
export const failuresJson = (failed: Failures, failures: RunResult['failures'] = new Map()): object[] =>
  [...failed].map(([step, error]) =>
    Object.assign(
      { step, reason: error.code, message: error.message },
      isRelayError(error, 'site_forbidden') && { permissions: permissionsOf[step] },
      failures.has(step) && { refused: failures.get(step)?.map(refusedJson) },
    ),
  );

/** An error as JSON data. */
export const errorJson = ({ code, message, details }: RelayError): object => ({
  reason: code,
  message,
  details,
  check: entryOf(code).check,
});

/** What there is to say of a run that was interrupted before its first write, and so has no record. */
export const wroteNothing = new RelayError('interrupted', { details: { state: 'nothing was written' } }).message;

/** Describes how to finish a run that did not complete; a plan that is outdated is made anew. */
export const goOnLines = (
  { interrupted, unsaved }: RunResult,
  failures: Failures,
  hint: string | undefined,
): string[] => {
  if (hint === undefined) return interrupted ? [wroteNothing] : [];
  if (interrupted) return [`Interrupted. Finish it: ${hint}`];
  if ([...failures.values()].some((error) => isRelayError(error, 'plan_outdated')))
    return [`Check: ${entryOf('plan_outdated').check}`];
  const later = `Finish it, once the cause is fixed: ${hint}`;
  if (unsaved) return [printable(`The run record is not finished: ${unsaved.message}`), later];
  return failures.size === 0 ? [] : [later];
};

/**
 * Exit code of a run, and its reason from the registry when it did not complete: the failure that ended it, otherwise that a step failed.
 */
export const endOf = (
  { interrupted, unsaved }: Pick<RunResult, 'interrupted' | 'unsaved'>,
  failures: Failures,
): { readonly code: ExitCode; readonly reason?: ErrorCode } => {
  if (interrupted) return { code: 130, reason: 'interrupted' };
  if (unsaved) return { code: 1, reason: unsaved.code };
  if (failures.size === 0) return { code: 0 };
  const ended = [...failures.values()].find((error) => endsRun(error));
  return { code: 1, reason: ended?.code ?? 'step_failed' };
};
