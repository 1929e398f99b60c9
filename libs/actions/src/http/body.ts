import type { Readable } from 'node:stream';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';

/** Limits of request bodies. */
export interface BodyLimits {
  /** Largest body, bytes. */
  readonly maxBytes: number;
  /** Maximum total size of all bodies held at the same time, bytes; at least one of the largest bodies. */
  readonly maxBufferedBytes: number;
}

/** A body, or its beginning when it exceeds the limit. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly tooLarge: boolean;
  /** Bytes received, including dropped bytes. */
  readonly size: number;
  /** Returns its bytes to the budget; further calls have no effect. */
  release(): void;
}

/** Reads one body. @throws RelayError `too_busy`, `body_timeout` */
export type ReadBody = (stream: Readable) => Promise<Body>;

/** Maximum time for a body, within the time limit that the server sets for a request. */
const timeoutMs = 10_000;
/** Beyond this size the body is not read to its end, because the sender would get the response too late. */
const maxDropped = 64 * 1_048_576;
const retryMs = 10_000;

/** Yields the chunks of a body within the limit and returns the number of bytes received. */
const readAll = (
  stream: Readable,
  { maxBytes }: Pick<BodyLimits, 'maxBytes'>,
  clock: Clock,
  keep: (chunk: Uint8Array) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    let size = 0;
    // A client that disconnects gets no response; the log records it as a body timeout.
    const late = (): void => end(new RelayError('body_timeout', { details: { seconds: timeoutMs / 1_000 } }));
    const timer = clock.after(timeoutMs, late);
    const end = (error?: Error): void => {
      timer.cancel();
      stream.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      stream.on('error', () => undefined);
      if (!stream.readableEnded) stream.pause();
      if (error) reject(error);
      else resolve(size);
    };
    const onEnd = (): void => end();
    const onGone = late;
    const onData = (chunk: Uint8Array): void => {
      try {
        if (size < maxBytes) keep(chunk.subarray(0, maxBytes - size));
      } catch (error) {
        return end(error as Error);
      }
      size += chunk.byteLength;
      if (size > maxBytes + maxDropped) end();
    };
    stream.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    if (stream.destroyed) onGone();
  });

/**
 * Creates the body reader of a service. Bytes over the limit are read and dropped, so that the client receives the response; only the
 * beginning is kept.
 */
export const createBodyReader = ({ maxBytes, maxBufferedBytes }: BodyLimits, clock: Clock): ReadBody => {
  // The largest body must fit, otherwise it would be deferred forever.
  const limit = Math.max(maxBytes, maxBufferedBytes);
  let held = 0;
  return async (stream) => {
    const chunks: Uint8Array[] = [];
    let taken = 0;
    const release = (): void => {
      held -= taken;
      taken = 0;
    };
    const keep = (chunk: Uint8Array): void => {
      if (held + chunk.byteLength > limit) throw new RelayError('too_busy', { retryAfterMs: retryMs });
      held += chunk.byteLength;
      taken += chunk.byteLength;
      chunks.push(chunk);
    };
    try {
      const size = await readAll(stream, { maxBytes }, clock, keep);
      return { bytes: Buffer.concat(chunks), tooLarge: size > maxBytes, size, release };
    } catch (error) {
      release();
      throw error;
    }
  };
};
