import type { ExecuteOutcome, FailureReport } from '../execute/request.ts';

/** The source of a request: a direct call, a pushed command or pushed data. */
export type RequestHandler = 'execute' | 'command' | 'push';

/** A response, and whether the message is dead-lettered. */
export interface HandlerResponse {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs?: number;
  readonly dead?: { readonly reason: string; readonly detail: string };
}

type Refused = Extract<ExecuteOutcome, { kind: 'refused' }>;
type Failed = Extract<ExecuteOutcome, { kind: 'failed' }>;

const detail = (report: FailureReport): object => ({ detail: report });

const nothing: Record<RequestHandler, unknown> = { execute: null, command: {}, push: null };

const refused = ({ error, report }: Refused, handler: RequestHandler): HandlerResponse => {
  if (error.next === 'retry') return { status: 500, body: detail(report) };
  if (handler === 'execute') return { status: error.status, body: detail(report) };
  if (error.next === 'skip' && handler === 'command') return { status: 200, body: nothing.command };
  return { status: 200, body: detail(report), dead: { reason: error.code, detail: report.error } };
};

const failed = (
  { transient, report, result, deadLettered, retryAfterMs }: Failed,
  handler: RequestHandler,
): HandlerResponse => {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (transient || handler === 'execute') return { status: 500, body: detail(report), ...wait };
  const body = result === undefined ? detail(report) : result;
  return { status: 200, body, ...(deadLettered ? {} : { dead: { reason: 'action_failed', detail: report.error } }) };
};

/** The response table of the platform contract (runner), row by row. */
export const answerOf = (outcome: ExecuteOutcome, handler: RequestHandler): HandlerResponse => {
  switch (outcome.kind) {
    case 'complete':
      return { status: 200, body: handler === 'command' ? nothing.command : outcome.result };
    case 'skipped':
      return {
        status: 200,
        body: handler === 'execute' ? { skipped: true, reason: outcome.reason } : nothing[handler],
      };
    case 'repeated':
      return { status: 200, body: nothing[handler] };
    case 'refused':
      return refused(outcome, handler);
    case 'failed':
      return failed(outcome, handler);
    case 'timed_out':
      return { status: 504, body: detail(outcome.report) };
    case 'busy':
      return { status: 503, body: detail(outcome.report), retryAfterMs: outcome.retryAfterMs };
  }
};

/** A response in the form that is sent to the client. */
export const respond = ({ status, body, retryAfterMs }: HandlerResponse): Response =>
  new Response(JSON.stringify(body ?? null), {
    status,
    headers: {
      'Content-Type': 'application/json',
      ...(retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) }),
    },
  });
