import { toRelayError } from '@ranger-relay/errors';
import { createContext, type Context, type ContextOptions } from './context.ts';
import { lineWriter, tolerateErrors, type Logger } from './logger.ts';

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

/** A program that runs until a signal ends it. */
export interface Program extends ContextOptions {
  /** Longest time of an orderly end, ms. */
  readonly graceMs: number;
  /** So long clients on kept connections are told to leave before these are closed: one could break under a request, ms. */
  readonly leaveMs?: number;
  /** Resolves once the program works; `ownsLeak` as in `unexpectedFailure`. */
  readonly start: (context: Context) => Promise<{ readonly ownsLeak?: ((reason: unknown) => boolean) | undefined }>;
}

/** A process that does not come to its end in time is ended; what it had not finished comes again. */
const stop = async (
  { health, lifecycle, clock, log }: Context,
  { graceMs, leaveMs }: Pick<Program, 'graceMs' | 'leaveMs'>,
): Promise<void> => {
  health.drain();
  const late = Promise.withResolvers<void>();
  const timer = clock.after(graceMs, () => {
    log.error({ graceMs }, 'the end took too long');
    late.resolve();
  });
  const left = leaveMs === undefined ? Promise.resolve() : clock.sleep(leaveMs);
  await Promise.race([left.then(() => lifecycle.stop()), late.promise]);
  timer.cancel();
};

/**
 * Runs a program until a signal ends it or it can do its work no more. Resolves with the exit code: 0 after a signal, 1 when it could not
 * start or failed.
 * @param configure reads the configuration; what it throws is printed as one line
 */
export const runProgram = async (host: NodeJS.Process, configure: () => Program): Promise<0 | 1> => {
  const ended = endSignal(host);
  let running: { readonly context: Context; readonly program: Program } | undefined;
  try {
    const program = configure();
    const context = createContext(program);
    running = { context, program };
    let started: Awaited<ReturnType<Program['start']>> = {};
    const failed = unexpectedFailure(host, context.log, (reason) => started.ownsLeak?.(reason) ?? false);
    started = await program.start(context);
    const { code, why } = await Promise.race([ended, failed, endOfLife([context])]);
    context.log[code === 0 ? 'info' : 'fatal']({ why }, 'stopping');
    await stop(context, program);
    return code;
  } catch (thrown) {
    const error = toRelayError(thrown);
    if (running) {
      running.context.log.fatal({ err: error }, 'the service could not start');
      await stop(running.context, running.program);
    } else lineWriter(host.stderr)(`${error.message}\n`);
    return 1;
  }
};
