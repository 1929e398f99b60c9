import type { Readable } from 'node:stream';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';

/** Limits the bytes of bodies that an integration may send per minute. */
export interface ByteRate {
  /** Counts `bytes` of a known integration; false when they exceed the limit of this minute. */
  take(integrationId: string, bytes: number): boolean;
}

const windowMs = 60_000;

/** Creates the rate: `limit` bytes per minute for each integration. */
export const createByteRate = (limit: number, clock: Pick<Clock, 'monotonic'>): ByteRate => {
  let taken = new Map<string, number>();
  let end = -Infinity;
  return {
    take(integrationId, bytes) {
      const now = clock.monotonic();
      if (now >= end) {
        taken = new Map();
        end = now + windowMs;
      }
      const sum = (taken.get(integrationId) ?? 0) + bytes;
      if (sum > limit) return false;
      taken.set(integrationId, sum);
      return true;
    },
  };
};

/** Devices do not send larger bodies every minute, bytes. */
export const smallBodyBytes = 65_536;

/** Limits the bytes of bodies in memory at once, over all requests. */
export interface ByteBudget {
  /**
   * Reserves `bytes`; false when they are not free.
   * @param total known size of the body so far: large bodies leave room for small ones
   */
  take(bytes: number, total: number): boolean;
  give(bytes: number): void;
  /** Bytes reserved now. */
  taken(): number;
}

/** Creates a budget of `limit` bytes. An eighth of it is reserved for small bodies, but one body of `maxBodyBytes` fits in any case. */
export const createByteBudget = (limit: number, maxBodyBytes = limit): ByteBudget => {
  const forLarge = Math.max(Math.floor((limit * 7) / 8), maxBodyBytes);
  let taken = 0;
  return {
    take: (bytes, total) => {
      if (taken + bytes > (total > smallBodyBytes ? forLarge : limit)) return false;
      taken += bytes;
      return true;
    },
    give: (bytes) => {
      taken -= bytes;
    },
    taken: () => taken,
  };
};

/** A body to read. */
export interface IncomingBody {
  readonly stream: Readable;
  /** Value of Content-Length; undefined for a chunked body. The HTTP parser enforces the declared length. */
  readonly declared: number | undefined;
}

/** Limits of one body. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly budget: ByteBudget;
  /** Called with the number of bytes before they are read; an exception ends the reading. */
  readonly admit: (bytes: number) => void;
  readonly clock: Clock;
}

/** A complete body; `release` returns its bytes to the budget and must be called once. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  release(): void;
}

/** The sender disconnected before its body was complete, so no response can be delivered. */
export class SenderGone extends Error {
  override readonly name = 'SenderGone';
}

const tooLarge = (limit: number): RelayError => new RelayError('body_too_large', { details: { limit } });

interface Collector {
  add(chunk: Uint8Array): void;
  whole(): Uint8Array;
}

/** A large body of known length is copied into one buffer chunk by chunk, so that its chunks do not take the same memory again. */
const createCollector = (declared = 0): Collector => {
  const place = declared > smallBodyBytes ? Buffer.allocUnsafeSlow(declared) : undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk) {
      if (place) place.set(chunk, size);
      else chunks.push(chunk);
      size += chunk.length;
    },
    whole() {
      if (place) return place.subarray(0, size);
      return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size);
    },
  };
};

const collect = (
  { stream, declared }: IncomingBody,
  { maxBytes, timeoutMs, clock }: BodyLimits,
  grow: (bytes: number) => void,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const body = createCollector(declared);
    let size = 0;
    const timer = clock.after(timeoutMs, () =>
      end(new RelayError('body_timeout', { details: { seconds: timeoutMs / 1000 } })),
    );
    const end = (error?: Error): void => {
      timer.cancel();
      stream.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      if (!error) return resolve(body.whole());
      stream.pause();
      stream.on('error', () => undefined);
      reject(error);
    };
    const onEnd = (): void => end();
    const onGone = (): void => end(new SenderGone());
    const onData = (chunk: Uint8Array): void => {
      size += chunk.length;
      if (size > maxBytes) return end(tooLarge(maxBytes));
      try {
        if (declared === undefined) grow(chunk.length);
      } catch (error) {
        return end(error as Error);
      }
      body.add(chunk);
    };
    stream.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    if (stream.destroyed) onGone();
  });

/**
 * Reads a body within the limits of the device contract, section 2. Declared bytes are reserved in the budget before the first byte is
 * read, undeclared ones with each chunk; they stay reserved until `release`.
 * @throws RelayError `body_too_large`, `body_timeout`, `too_busy`; SenderGone
 */
export const readBody = async (body: IncomingBody, limits: BodyLimits): Promise<ReadBody> => {
  const { budget, maxBytes, admit } = limits;
  let taken = 0;
  const grow = (bytes: number): void => {
    if (!budget.take(bytes, taken + bytes)) throw new RelayError('too_busy');
    taken += bytes;
    admit(bytes);
  };
  if (body.declared !== undefined && body.declared > maxBytes) throw tooLarge(maxBytes);
  try {
    if (body.declared !== undefined) grow(body.declared);
    return { bytes: await collect(body, limits, grow), release: () => budget.give(taken) };
  } catch (error) {
    budget.give(taken);
    throw error;
  }
};
