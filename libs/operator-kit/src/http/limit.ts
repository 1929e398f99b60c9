import type { Clock } from '@ranger-relay/runtime';
import type { KubeRequest } from '../api/transport.ts';

/** Why an exchange was given up. */
export class Late extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super(`nothing within ${ms} ms`);
    this.ms = ms;
  }
}

/** A request that ends by itself when its time is over. */
export interface Limited {
  readonly request: KubeRequest & { readonly signal: AbortSignal };
  /** It was in time: from now on only the caller ends it. */
  inTime(): void;
  /** It is over. */
  end(): void;
}

/** Gives a request `ms` milliseconds beside the signal that it has. */
export const limit = (request: KubeRequest, clock: Clock, ms: number): Limited => {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(request.signal?.reason);
  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(ms, () => controller.abort(new Late(ms)));
  return {
    request: { ...request, signal: controller.signal },
    inTime: () => timer.cancel(),
    end() {
      timer.cancel();
      request.signal?.removeEventListener('abort', onAbort);
    },
  };
};
