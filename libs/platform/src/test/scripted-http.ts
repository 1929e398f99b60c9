import { RelayError, type ErrorCode } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient, HttpRequest } from '@ranger-relay/http';

/** What the other side does with a request. */
export type Script = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;

/** An answer with a JSON value or a text. */
export const answerWith = (status: number, body: unknown = '', retryAfterMs?: number): HttpAnswer => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    status,
    headers: {},
    body: new TextEncoder().encode(text),
    target: 'CALL platform.example/path',
    retryAfterMs,
    json() {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new RelayError('http_body_unreadable', { details: { target: 'CALL', problem: 'test' }, ambiguous: true });
      }
    },
    excerpt: (max = 200) => text.slice(0, max),
  };
};

/** A failure of the connection, as the HTTP client reports it. */
export const broken = (code: ErrorCode, ambiguous = false): never => {
  throw new RelayError(code, { details: { target: 'CALL platform.example/path', reason: 'test' }, ambiguous });
};

/** An HTTP client that plays a script and remembers the requests. */
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
