import { entryOf, toRelayError } from '@ranger-relay/errors';

/** Result of one check. */
export interface Finding {
  /** `skipped`: the check could not run, and no problem is known. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly name: string;
  readonly detail: string;
  /** Remedy; set unless the status is ok. */
  readonly remedy?: string;
}

/** One check, or several of a kind. Aborted at its time limit. */
export interface Check {
  readonly name: string;
  ask(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** All is well. */
export const ok = (name: string, detail: string): Finding => ({ status: 'ok', name, detail });

/** Not asked. */
export const skipped = (name: string, detail: string): Finding => ({ status: 'skipped', name, detail });

const problem =
  (status: Finding['status']) =>
  (name: string, detail: string, remedy: string): Finding => ({ status, name, detail, remedy });

/** It works, but not as it should. */
export const warning = problem('warning');

/** It does not work. */
export const failed = problem('failed');

/** Converts an exception to a finding, with the remedy of the registry. */
export const failureOf = (name: string, thrown: unknown): Finding => {
  const error = toRelayError(thrown);
  return failed(name, error.message, entryOf(error.code).check);
};

/** As `failureOf`, for a call whose address a variable gives: a wrong path there looks like a platform that does not work. */
export const failureAt = (name: string, variable: string, thrown: unknown): Finding => {
  const finding = failureOf(name, thrown);
  return ['platform_unavailable', 'http_status'].includes(toRelayError(thrown).code)
    ? { ...finding, remedy: `Compare ${variable} with the address of the platform; if it is right, ask its operator.` }
    : finding;
};
