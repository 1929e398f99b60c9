import { resolve } from 'node:path';
import type { SyncStep } from '@ranger-relay/contracts';
import { entryOf, type ErrorCode, isRelayError, type RelayError } from '@ranger-relay/errors';
import { type ExitCode, printable } from '@ranger-relay/terminal';
import { problemsOf } from '../bundle/findings.ts';
import type { Ran } from '../run/run.ts';
import { endsRun, permissionsOf, stepNames } from '../run/tally.ts';
import type { SiteFlags } from './settings.ts';

interface InvalidBundleJson {
  readonly reason: ErrorCode;
  readonly message: string;
  readonly path: string;
  readonly total: number;
  readonly problems: readonly string[];
  readonly check: string;
}

/** What is said of a bundle that cannot be used. */
interface InvalidBundle {
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

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, quoted(String(value))];

const file = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));

/**
 * A call that can be pasted into a shell, from any folder. It reaches the site as the present one does, but for a token that stood in the
 * call: that one is taken from SITE_TOKEN, so that it is shown nowhere.
 */
export const callHint = (words: readonly string[], flags: SiteFlags): string =>
  [
    'sync-tool',
    ...words.map(quoted),
    ...option('--site-endpoint', flags.siteEndpoint),
    ...(flags.siteToken === undefined ? [] : ['--site-token "$SITE_TOKEN"']),
    ...option('--site-token-file', file(flags.siteTokenFile)),
    ...option('--ca-file', file(flags.caFile)),
    ...option('--config', file(flags.config)),
  ].join(' ');

/** How a run is finished that has a record. */
export const resumeHint = (record: string, flags: SiteFlags): string => callHint(['resume', record], flags);

/** Steps that failed, with what stopped them. */
export type Failures = ReadonlyMap<SyncStep, RelayError>;

/** Names the step, what happened and, where one is missing, the permission (site contract, 1, errors). */
export const failureText = (step: SyncStep, error: RelayError): string => {
  const needs = isRelayError(error, 'site_forbidden') ? `; this step needs ${permissionsOf[step]}` : '';
  return `${stepNames[step]}: ${error.message}${needs}`;
};

/** The same as data. */
export const failuresJson = (failures: Failures): object[] =>
  [...failures].map(([step, error]) => {
    const failure = { step, reason: error.code, message: error.message };
    return isRelayError(error, 'site_forbidden')
      ? Object.assign(failure, { permissions: permissionsOf[step] })
      : failure;
  });

/** How a run ends, and its reason from the registry when it did not come to its end: what ended it, else that a step failed. */
export const endOf = (
  { interrupted }: Pick<Ran, 'interrupted'>,
  failures: Failures,
): { readonly code: ExitCode; readonly reason: { readonly reason?: ErrorCode } } => {
  if (interrupted) return { code: 130, reason: { reason: 'interrupted' } };
  if (failures.size === 0) return { code: 0, reason: {} };
  const ended = [...failures.values()].find((error) => endsRun(error));
  return { code: 1, reason: { reason: ended?.code ?? 'step_failed' } };
};
