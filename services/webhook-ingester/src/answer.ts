import type { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { lingeringAnswer } from './body/linger.ts';
import type { Exchange } from './exchange.ts';
import type { IngestResult } from './ingest/ingest.ts';

const retryAfterSeconds = 10;
const smallBody = 65_536;
const contentType = 'application/json';

/** The body of an answer to a body that was taken in; `rejected` only when there is something in it. */
export const resultBody = ({ counts, rejected }: IngestResult): object => ({
  total_observations: counts.observations,
  total_messages: counts.messages,
  ...(rejected.length > 0 ? { rejected } : {}),
});

/** The answer to a disabled integration. */
export const nothingTaken = Object.freeze({ total_observations: 0, total_messages: 0 });

/** An answer with a JSON body. */
export const jsonAnswer = (body: object, status = 200, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': contentType, ...more } });

const isStillSending = ({ incoming, header }: Exchange): boolean => {
  if (!incoming || incoming.complete || incoming.destroyed) return false;
  return header('transfer-encoding') !== undefined || Number(header('content-length') ?? 0) > smallBody;
};

/** The answer to a failure: `{"detail":{"code","error"}}`. While a large body is still coming, the connection ends with it. */
export const failureAnswer = (exchange: Exchange, error: RelayError, clock: Clock): Response => {
  const detail = { code: error.code, error: error.message };
  const headers: Record<string, string> = error.status === 503 ? { 'Retry-After': String(retryAfterSeconds) } : {};
  const { incoming } = exchange;
  if (!incoming || !isStillSending(exchange)) return jsonAnswer({ detail }, error.status, headers);
  const text = JSON.stringify({ detail });
  return new Response(lingeringAnswer(text, incoming, clock), {
    status: error.status,
    headers: {
      'Content-Type': contentType,
      'Content-Length': String(Buffer.byteLength(text)),
      Connection: 'close',
      ...headers,
    },
  });
};
