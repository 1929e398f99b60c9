import type { IncomingHttpHeaders } from 'node:http';
import { RelayError } from '@ranger-relay/errors';
import { excerptOf } from './excerpt.ts';
import type { HttpAnswer } from './port.ts';

/** What an answer is made of. */
export interface AnswerParts {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly target: string;
  readonly retryAfterMs: number | undefined;
  /** Values that excerpts must not show. */
  readonly secrets: readonly string[];
}

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

const decode = (body: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(body);

/** Makes an answer; the secrets stay in its closures. */
export const makeAnswer = ({ secrets, headers, body, target, ...rest }: AnswerParts): HttpAnswer => ({
  ...rest,
  headers: flat(headers),
  body,
  target,
  json() {
    try {
      return JSON.parse(decode(body)) as unknown;
    } catch {
      const problem = body.length === 0 ? 'it is empty' : `${body.length} bytes that do not parse`;
      throw new RelayError('http_body_unreadable', { details: { target, problem }, ambiguous: true });
    }
  },
  excerpt: (max = 200) => excerptOf(body, max, secrets),
});
