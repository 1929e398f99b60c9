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
export type ReadBody = (stream: ReadableStream<Uint8Array> | null) => Promise<Body>;

const timeoutMs = 30_000;
/** A sender of more hears nothing: its answer would come too late to stop it anyway. */
const mostDropped = 64 * 1_048_576;
const retryMs = 10_000;

/**
 * Makes the reader of a service. What is over the limit is read on and dropped, so that the sender hears the answer; only the start is kept.
 */
export const createBodyReader = ({ maxBytes, maxBufferedBytes }: BodyLimits, clock: Clock): ReadBody => {
  let held = 0;

  const collect = async (reader: ReadableStreamDefaultReader<Uint8Array>, keep: (chunk: Uint8Array) => void) => {
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return size;
      if (size < maxBytes) keep(value.subarray(0, maxBytes - size));
      size += value.byteLength;
      if (size > maxBytes + mostDropped) return size;
    }
  };

  const readAll = async (stream: ReadableStream<Uint8Array>, keep: (chunk: Uint8Array) => void): Promise<number> => {
    const reader = stream.getReader();
    const late = Promise.withResolvers<never>();
    const timer = clock.after(timeoutMs, () =>
      late.reject(new RelayError('body_timeout', { details: { seconds: timeoutMs / 1_000 } })),
    );
    try {
      return await Promise.race([collect(reader, keep), late.promise]);
    } finally {
      timer.cancel();
      reader.cancel().catch(() => undefined);
    }
  };

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
      const size = stream ? await readAll(stream, keep) : 0;
      return { bytes: Buffer.concat(chunks), tooLarge: size > maxBytes, size, release };
    } catch (error) {
      release();
      throw error;
    }
  };
};
