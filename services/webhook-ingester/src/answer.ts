import type { Readable } from 'node:stream';
import type { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { Exchange } from './webhook.ts';

const lingerMs = 2_000;
const lingerBytes = 64 * 1_048_576;

/**
 * A response that ends when the sender stops sending, or after a time and byte limit. Closing a connection with unread bytes resets it, and
 * the sender would see the reset instead of the response. Further bytes from the sender are dropped.
 */
export const lingeringAnswer = (text: string, incoming: Readable, clock: Clock): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      let dropped = 0;
      controller.enqueue(new TextEncoder().encode(text));
      const onData = (chunk: Uint8Array): void => {
        dropped += chunk.length;
        if (dropped > lingerBytes) stop();
      };
      const stop = (): void => {
        timer.cancel();
        incoming.off('data', onData).off('end', stop).off('close', stop).off('error', stop);
        incoming.on('error', () => undefined);
        try {
          controller.close();
        } catch {
          // The sender closed the connection first, which cancelled this stream.
        }
      };
      const timer = clock.after(lingerMs, stop);
      incoming.on('data', onData).on('end', stop).on('close', stop).on('error', stop);
      if (incoming.destroyed || incoming.readableEnded) stop();
      else incoming.resume();
    },
  });

const retryAfterSeconds = 10;
const smallBody = 65_536;

const isStillSending = ({ incoming, header }: Exchange): boolean => {
  if (!incoming || incoming.complete || incoming.destroyed) return false;
  // A body that waits for an invitation, which nobody gave by reading, does not come.
  if (header('expect') !== undefined && incoming.readableFlowing === null) return false;
  return header('transfer-encoding') !== undefined || Number(header('content-length') ?? 0) > smallBody;
};

/** The response to a failure: `{"detail":{"code","error"}}`. While a large body is still arriving, the response also closes the connection. */
export const failureAnswer = (exchange: Exchange, error: RelayError, clock: Clock): Response => {
  const detail = { code: error.code, error: error.message };
  const headers: Record<string, string> = error.status === 503 ? { 'Retry-After': String(retryAfterSeconds) } : {};
  const { incoming } = exchange;
  if (!incoming || !isStillSending(exchange)) return Response.json({ detail }, { status: error.status, headers });
  const text = JSON.stringify({ detail });
  return new Response(lingeringAnswer(text, incoming, clock), {
    status: error.status,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(text)),
      Connection: 'close',
      ...headers,
    },
  });
};
