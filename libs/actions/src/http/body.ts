import type { Readable } from 'node:stream';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';

/** What bodies may take. */
export interface BodyLimits {
  /** Largest body, bytes. */
  readonly maxBytes: number;
  /** Most bytes of all bodies that are held at once. */
  readonly maxBufferedBytes: number;
}

/** A body, or its start when it is over the limit. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly tooLarge: boolean;
  /** Bytes that came, those that were dropped included. */
  readonly size: number;
  /** Gives its bytes back to the budget; once. */
  release(): void;
}

/** Reads one body. @throws RelayError `too_busy`, `body_timeout` */
export type ReadBody = (stream: Readable) => Promise<Body>;

/** Within the time that the server gives a request. */
const timeoutMs = 10_000;
/** A sender of more hears nothing: its answer would come too late to stop it anyway. */
const maxDropped = 64 * 1_048_576;
const retryMs = 10_000;

/** Hands on the chunks of a body within the limit, and answers how many bytes there were. */
const readAll = (
  stream: Readable,
  { maxBytes }: Pick<BodyLimits, 'maxBytes'>,
  clock: Clock,
  keep: (chunk: Uint8Array) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    let size = 0;
    // A sender that goes away hears no answer; for the log it is one that did not finish.
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
 * Makes the reader of a service. What is over the limit is read on and dropped, so that the sender hears the answer; only the start is kept.
 */
export const createBodyReader = ({ maxBytes, maxBufferedBytes }: BodyLimits, clock: Clock): ReadBody => {
  let held = 0;
  return async (stream) => {
    const chunks: Uint8Array[] = [];
    let taken = 0;
    const release = (): void => {
      held -= taken;
      taken = 0;
    };
    const keep = (chunk: Uint8Array): void => {
      if (held + chunk.byteLength > maxBufferedBytes) throw new RelayError('too_busy', { retryAfterMs: retryMs });
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
