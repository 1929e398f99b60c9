import { tolerateErrors, type Context, type Logger } from '@ranger-relay/runtime';

/** Why `up` ends. */
export type EndReason = { readonly code: 0 | 1; readonly why: string };

const checkEveryMs = 2_000;

/** Resolves at SIGINT, SIGTERM, or when the process that started this one is gone. */
export const endSignal = (host: NodeJS.Process): Promise<EndReason> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      host.once(signal, () => resolve({ code: 0, why: signal }));
    host.once('disconnect', () => resolve({ code: 0, why: 'the process that started this one ended' }));
    // Listening for the end of the channel would otherwise keep this process from ending.
    host.channel?.unref();
  });

/** Resolves when one of the parts can do its work no more; what watches over the process then starts it again. */
export const endOfLife = (contexts: readonly Pick<Context, 'health' | 'clock' | 'lifecycle'>[]): Promise<EndReason> =>
  new Promise((resolve) => {
    const [first] = contexts;
    if (!first) return;
    let timer = first.clock.after(checkEveryMs, check);
    function check(): void {
      const failing = contexts.flatMap(({ health }) => health.live().failing);
      if (failing.length > 0) resolve({ code: 1, why: `not alive any more: ${failing.join(', ')}` });
      else timer = first!.clock.after(checkEveryMs, check);
    }
    first.lifecycle.onStop('life check', () => timer.cancel());
  });

/**
 * Resolves at an error that nobody handled. One of standard output or standard error is none: the log goes there.
 * @param ownsLeak true for a rejection that belongs to work that failed alone: it ends nothing
 */
export const unexpectedFailure = (
  host: Pick<NodeJS.Process, 'on' | 'stdout' | 'stderr'>,
  log: Pick<Logger, 'fatal'>,
  ownsLeak: (reason: unknown) => boolean,
): Promise<EndReason> =>
  new Promise((resolve) => {
    tolerateErrors(host.stdout);
    tolerateErrors(host.stderr);
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      host.on(event, (error: unknown) => {
        if (event === 'unhandledRejection' && ownsLeak(error)) return;
        log.fatal({ err: error }, 'something failed that nobody expected');
        resolve({ code: 1, why: event });
      });
  });
