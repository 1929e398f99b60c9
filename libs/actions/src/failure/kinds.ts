import type { ErrorCode, RelayError } from '@ranger-relay/errors';
import type { ErrorType } from './action-failure.ts';

/** The failure type of registered errors of failed calls, for people who inspect an integration; other codes have no type. */
const typeOfCode: Partial<Record<ErrorCode, ErrorType>> = {
  platform_token_refused: 'auth',
  platform_forbidden: 'auth',
  api_key_refused: 'auth',
  site_unauthorized: 'auth',
  site_forbidden: 'auth',
  site_credentials_invalid: 'auth',
  site_credentials_refused: 'auth',
  http_connect: 'connectivity',
  http_reset: 'connectivity',
  http_address_refused: 'connectivity',
  http_scheme_refused: 'connectivity',
  platform_unavailable: 'connectivity',
  site_unavailable: 'connectivity',
  site_untrusted: 'connectivity',
  http_timeout: 'timeout',
  deadline_exceeded: 'timeout',
  action_timeout: 'timeout',
  platform_rate_limited: 'rate_limit',
  http_body_too_large: 'bad_response',
  http_body_unreadable: 'bad_response',
  item_refused: 'bad_response',
  site_refused: 'bad_response',
  site_conflict: 'bad_response',
  site_not_found: 'bad_response',
  site_address_foreign: 'bad_response',
  site_file_too_large: 'bad_response',
  site_too_old: 'bad_response',
  site_redirected: 'bad_response',
  site_answer_unreadable: 'bad_response',
};

/** The failure type of an HTTP status of the other system. */
export const typeOfStatus = (status: number): ErrorType => {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limit';
  return status === 408 || status === 504 ? 'timeout' : 'bad_response';
};

/** Whether a retry can help after this HTTP status. */
export const isTransientStatus = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** The HTTP status of the other system in a registered error. */
export const statusOf = ({ code, details }: RelayError): number | undefined => {
  const status = Number(code === 'http_status' ? details['code'] : details['status']);
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined;
};

/** The failure type of a registered error. */
export const typeOfError = (error: RelayError): ErrorType | null => {
  const status = error.code === 'http_status' ? statusOf(error) : undefined;
  return status === undefined ? (typeOfCode[error.code] ?? null) : typeOfStatus(status);
};

/** The title of a failure, shown before its message: the words by which the portal knows the class. */
export const titleOf = (type: ErrorType | null): string => {
  if (type === null) return 'The action failed';
  return {
    auth: 'Authentication failed',
    connectivity: 'Connection failed',
    timeout: 'Connection failed',
    rate_limit: 'Rate limited',
    bad_response: 'Bad response',
  }[type];
};
