import { entryOf, toRelayError } from '@ranger-relay/errors';

/** What one question showed. */
export interface Finding {
  /** `skipped`: it could not be asked, and nothing is known to be wrong. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly name: string;
  readonly detail: string;
  /** What to do; of everything that is not well. */
  readonly remedy?: string;
}

/** One question, or several of a kind. Aborted when the time is over. */
export interface Check {
  readonly name: string;
  ask(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** All is well. */
export const ok = (name: string, detail: string): Finding => ({ status: 'ok', name, detail });

/** Not asked. */
export const skipped = (name: string, detail: string): Finding => ({ status: 'skipped', name, detail });

/** It works, but not as it should. */
export const warning = (name: string, detail: string, remedy: string): Finding => ({
  status: 'warning',
  name,
  detail,
  remedy,
});

/** It does not work. */
export const failed = (name: string, detail: string, remedy: string): Finding => ({
  status: 'failed',
  name,
  detail,
  remedy,
});

/** What was thrown as a finding, with the remedy of the registry. */
export const failureOf = (name: string, thrown: unknown): Finding => {
  const error = toRelayError(thrown);
  return failed(name, error.message, entryOf(error.code).check);
};
