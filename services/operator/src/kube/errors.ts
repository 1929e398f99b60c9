import { cutText, type ErrorCode, isObject, jsonOf, RelayError } from '@ranger-relay/errors';
import { parseRetryAfter, redactText, systemClock } from '@ranger-relay/runtime';

const textOf = (value: unknown, max: number): string =>
  typeof value === 'string' ? cutText(value.replaceAll(/\s+/g, ' '), max) : '';

const codeOf = (code: number, reason: string): ErrorCode => {
  if (code === 401) return 'kube_unauthorized';
  if (code === 403) return 'kube_forbidden';
  if (code === 404) return 'kube_not_found';
  if (code === 409) return reason === 'AlreadyExists' ? 'kube_exists' : 'kube_conflict';
  if (code === 410) return 'kube_version_gone';
  if (code === 429) return 'kube_throttled';
  if (code >= 500 || code === 408) return 'kube_unreachable';
  return 'kube_refused';
};

/** Maximum wait that the API server may ask for, ms. */
const maxWaitMs = 300_000;

/**
 * Maps an answer that is no success; its body is a Status that names the reason.
 * @param target method and path, without the query
 */
export const answerError = (
  target: string,
  code: number,
  text = '',
  headers: Readonly<Record<string, string>> = {},
): RelayError => {
  const status = jsonOf(text);
  const { reason, message } = isObject(status) ? status : {};
  const waitMs = parseRetryAfter(headers['retry-after'], systemClock);
  return new RelayError(codeOf(code, textOf(reason, 60)), {
    details: { target, status: code, reason: textOf(message, 300) || textOf(reason, 60) || `HTTP ${code}` },
    // The server may have carried out the request before it failed.
    ambiguous: code >= 500,
    ...(waitMs === undefined ? {} : { retryAfterMs: Math.min(waitMs, maxWaitMs) }),
  });
};

/** Code of a broken connection, or our own sentence; messages could contain secrets. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown reason';
  if (/^n\w+ within \d+ ms$/.test(error.message)) return error.message;
  const codes = [error.cause, error].map((each) => (each instanceof Error && 'code' in each ? each.code : undefined));
  const code = codes.find((each) => typeof each === 'string') ?? '';
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(String(code)) ? String(code) : 'unknown reason';
};

/** Maps the failure of a connection, of a list or of a watch. @param target method and path, without the query */
export const connectionError = (target: string, error: unknown): RelayError => {
  if (error instanceof RelayError) return error;
  // So does a watch tell an answer that is no success.
  if (isObject(error) && typeof error['statusCode'] === 'number') return answerError(target, error['statusCode']);
  const details = { target, reason: reasonOf(error) };
  return new RelayError('kube_unreachable', { details, ambiguous: !target.startsWith('GET') });
};

/** Access to the cluster is missing. @param problem without secrets */
export const accessMissing = (problem: string, remedy: string): RelayError =>
  new RelayError('kube_access_missing', { details: { problem, remedy } });

/** The first line alone: the rest of what a plugin printed, or of a snippet of a file, may hold a token. */
const firstLine = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'its exec plugin printed no JSON';
  const [line = ''] = (error instanceof Error ? error.message : '').split('\n');
  return cutText(redactText(line), 300);
};

/** Access to the cluster is missing because a kubeconfig, or what it names, cannot be used. */
export const loginError = (file: string, remedy: string, error: unknown): RelayError =>
  accessMissing(`${file}: ${firstLine(error)}`, remedy);
