import type { Readable } from 'node:stream';
import type { Clock } from '@ranger-relay/runtime';

const lingerMs = 2_000;
const lingerBytes = 64 * 1_048_576;

/**
 * An answer that ends only when the sender has stopped sending, or after a bounded while. Closing a connection on unread bytes resets
 * it, and the sender would see the reset instead of the answer. What it still sends is dropped.
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
