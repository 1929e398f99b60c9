import { cutText, isRelayError, RelayError } from '@ranger-relay/errors';
import { safeJson } from '../values/safe-json.ts';
import { ActionFailure, type ErrorType, type FailureFacts } from './action-failure.ts';
import { isTransientStatus, statusOf, titleOf, typeOfError, typeOfStatus } from './kinds.ts';

/** A classified failure: whether a retry can help, and what is reported about it. */
export interface Failure extends Omit<FailureFacts, 'type' | 'title' | 'cause'> {
  readonly type: ErrorType | null;
  readonly title: string;
  readonly message: string;
  /** HTTP status of the other system. */
  readonly status: number | undefined;
  /** Stack of the error; empty when unknown. */
  readonly trace: string;
}

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
]);
const timeoutCodes = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const member = (value: unknown, name: string): unknown => {
  try {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
};

const textOf = (thrown: unknown): string => {
  const message = member(thrown, 'message');
  if (typeof message === 'string' && message !== '') return message;
  if (typeof thrown === 'string') return thrown;
  const shown = typeof thrown === 'object' ? JSON.stringify(safeJson(thrown)) : String(thrown);
  return `${cutText(shown, 500)} was thrown`;
};

const traceOf = (thrown: unknown): string => {
  const stack = member(thrown, 'stack');
  return typeof stack === 'string' ? cutText(stack, 4_000) : '';
};

const understood = (thrown: unknown, type: ErrorType | null, transient: boolean, status?: number): Failure => ({
  transient,
  type,
  title: titleOf(type),
  message: textOf(thrown),
  status,
  trace: traceOf(thrown),
});

const ofAction = (failure: ActionFailure): Failure => {
  const { facts } = failure;
  const type = facts.type ?? null;
  const own = understood(failure, type, facts.transient, facts.response?.status);
  const { type: _type, title = own.title, cause: _cause, ...rest } = facts;
  return { ...own, ...rest, title: type === null ? title : own.title };
};

/** Parses the target of an outgoing call, in the form `METHOD host/path`. */
const requestOf = ({ details }: RelayError): Pick<Failure, 'request'> => {
  const [, verb, url] = /^([A-Z]+) (\S+)$/.exec(String(details['target'])) ?? [];
  return verb === undefined || url === undefined ? {} : { request: { verb, url } };
};

const ofRelay = (error: RelayError): Failure => {
  if (error.code === 'internal' && error.cause !== undefined) return ofAnything(error.cause);
  const status = statusOf(error);
  const byStatus = isRelayError(error, 'http_status', 'site_refused') && status !== undefined;
  const transient = byStatus ? isTransientStatus(status) : error.next === 'retry' && error.code !== 'internal';
  const wait = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };
  return { ...understood(error, typeOfError(error), transient, status), ...wait, ...requestOf(error) };
};

/** Classifies errors of other libraries: by their status, otherwise by the code of the connection; any other error is a bug. */
const ofAnything = (thrown: unknown): Failure => {
  const status = [member(thrown, 'status'), member(thrown, 'statusCode'), member(member(thrown, 'response'), 'status')]
    .map(Number)
    .find((each) => Number.isInteger(each) && each >= 400 && each <= 599);
  if (status !== undefined) return understood(thrown, typeOfStatus(status), isTransientStatus(status), status);
  const codes = [member(thrown, 'code'), member(member(thrown, 'cause'), 'code')];
  if (codes.some((code) => connectionCodes.has(String(code)))) return understood(thrown, 'connectivity', true);
  const late = member(thrown, 'name') === 'TimeoutError' || codes.some((code) => timeoutCodes.has(String(code)));
  return late ? understood(thrown, 'timeout', true) : understood(thrown, null, false);
};

/**
 * Classifies a thrown value (platform contract, runner): connectivity errors, timeouts, 429 and 5xx are transient; other 4xx, configuration
 * errors and bugs are permanent. The classification of the action takes precedence. Accepts any thrown value.
 */
export const classifyFailure = (thrown: unknown): Failure => {
  if (thrown instanceof ActionFailure) return ofAction(thrown);
  return thrown instanceof RelayError ? ofRelay(thrown) : ofAnything(thrown);
};

/** Whether a thrown value is a bug: neither registered, nor classified by the action, nor a failure of a call. */
export const isUnexpected = (thrown: unknown): boolean => {
  if (thrown instanceof ActionFailure) return false;
  if (thrown instanceof RelayError && thrown.code !== 'internal') return false;
  return classifyFailure(thrown).type === null;
};

/** `<title> — <message> (HTTP <status>)`. */
export const failureText = ({ title, message, status }: Pick<Failure, 'title' | 'message' | 'status'>): string =>
  `${title} — ${message}${status === undefined ? '' : ` (HTTP ${status})`}`;
