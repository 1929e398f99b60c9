/** How a handler ended, or that nobody waits for it any more. */
export type Ending =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** The signal was aborted before the handler ended; `reason` says why. */
  | { readonly kind: 'given_up'; readonly reason: unknown };

/** A handler under way. */
export interface Invocation {
  readonly ending: Promise<Ending>;
  /** Resolves when the handler itself has ended, which may be never. */
  readonly settled: Promise<void>;
}

const ended = async (handler: () => unknown): Promise<Ending> => {
  try {
    return { kind: 'returned', value: await handler() };
  } catch (error) {
    return { kind: 'threw', error };
  }
};

/** Starts a handler. The first of its end and the abort decides; what a handler that was given up does afterwards is ignored. */
export const invoke = (handler: () => unknown, signal: AbortSignal): Invocation => {
  const own = ended(handler);
  const ending = new Promise<Ending>((resolve) => {
    const giveUp = (): void => resolve({ kind: 'given_up', reason: signal.reason });
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void own.finally(() => signal.removeEventListener('abort', giveUp)).then(resolve);
  });
  return { ending, settled: own.then(() => undefined) };
};
