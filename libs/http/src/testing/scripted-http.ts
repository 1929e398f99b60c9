import { RelayError, type ErrorCode } from '@ranger-relay/errors';
import { makeAnswer } from '../answer.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../port.ts';

/** What the other side does with a request. */
export type Script = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;

const target = 'CALL upstream.example/path';

/** An answer with a JSON value or a text. */
export const httpAnswer = (status: number, body: unknown = '', more: Partial<HttpAnswer> = {}): HttpAnswer => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    ...makeAnswer({ status, headers: {}, body: bytes, target, retryAfterMs: undefined, secrets: [] }),
    ...more,
  };
};

/** A failure of the connection, as the client throws it. */
export const broken = (code: ErrorCode = 'http_reset', { reason = 'ECONNRESET', ambiguous = false } = {}): never => {
  throw new RelayError(code, { details: { target, reason, phase: 'total', ms: 60_000, limit: 5 }, ambiguous });
};

/** A client that plays a script and remembers the requests, for code that waits by a manual clock: what it sends stays in the process. */
export const scriptedHttp = (script: Script): HttpClient & { readonly requests: HttpRequest[] } => {
  const requests: HttpRequest[] = [];
  return {
    requests,
    async request(request) {
      requests.push(request);
      return script(request);
    },
    close: () => undefined,
  };
};
