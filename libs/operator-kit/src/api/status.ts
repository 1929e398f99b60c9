import { cutText, RelayError, type Details, type ErrorCode } from '@ranger-relay/errors';
import { isRecord } from './object.ts';

/** The members in use of the Status object by which an API server reports an error. */
interface Status {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly fields: readonly string[];
}

const textOf = (value: unknown, max: number): string =>
  typeof value === 'string' ? cutText(value.replaceAll(/\s+/g, ' '), max) : '';

const maxFields = 10;

const fieldsOf = (details: unknown): string[] => {
  const causes = isRecord(details) && Array.isArray(details['causes']) ? details['causes'] : [];
  return causes
    .filter((cause) => isRecord(cause) && cause['reason'] === 'FieldManagerConflict')
    .slice(0, maxFields)
    .map((cause) => textOf((cause as Record<string, unknown>)['field'], 100));
};

const readStatus = (value: unknown, code: number): Status => {
  const status = isRecord(value) && value['kind'] === 'Status' ? value : {};
  return {
    code: typeof status['code'] === 'number' ? status['code'] : code,
    reason: textOf(status['reason'], 60),
    message: textOf(status['message'], 300),
    fields: fieldsOf(status['details']),
  };
};

/** The wait that the body of a response asks for; used without a Retry-After header. */
const retryAfterOf = (value: unknown): number | undefined => {
  const details = isRecord(value) ? value['details'] : undefined;
  const seconds = isRecord(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : undefined;
};

const conflictCode = ({ reason, fields }: Status): ErrorCode => {
  if (fields.length > 0) return 'kube_field_conflict';
  return reason === 'AlreadyExists' ? 'kube_exists' : 'kube_conflict';
};

const codeOf = (status: Status): ErrorCode => {
  const { code, reason } = status;
  if (code === 401) return 'kube_unauthorized';
  if (code === 403) return 'kube_forbidden';
  if (code === 404) return 'kube_not_found';
  if (code === 409) return conflictCode(status);
  if (code === 410 || reason === 'Expired') return 'kube_version_gone';
  if (code === 429) return 'kube_throttled';
  if (code >= 500 || code === 408) return 'kube_unreachable';
  return 'kube_refused';
};

/** Maximum wait that the API server may ask for, ms. */
const maxWaitMs = 300_000;

/** Maps an error response to a registered error. @param value the body, or the object of an error event */
export const statusError = (target: string, code: number, value: unknown, retryAfterMs?: number): RelayError => {
  const status = readStatus(value, code);
  const wait = retryAfterMs ?? retryAfterOf(value);
  const details: Details = {
    target,
    status: status.code,
    reason: status.message || status.reason || `HTTP ${status.code}`,
    fields: status.fields.join(', '),
  };
  return new RelayError(codeOf(status), {
    details,
    // The server may have carried out the request before it failed.
    ambiguous: status.code >= 500,
    ...(wait === undefined ? {} : { retryAfterMs: Math.min(wait, maxWaitMs) }),
  });
};
