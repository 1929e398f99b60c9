import type { SyncStep } from '@ranger-relay/contracts';
import { isRelayError, type ErrorCode, type RelayError } from '@ranger-relay/errors';
import type { ExitCode } from '@ranger-relay/terminal';
import { permissionsOf } from '../run/permissions.ts';
import type { Ran } from '../run/run.ts';
import { endsRun } from '../run/stops.ts';
import { stepNames } from '../run/step-names.ts';

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
