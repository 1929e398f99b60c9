import { toRelayError } from '@ranger-relay/errors';
import { repeat } from './async/repeat.ts';
import { endsWithin } from './async/within.ts';
import { envHelp, type EnvTable } from './env/table.ts';
import { createContext, type Context, type ContextOptions } from './context.ts';
import { lineWriter, tolerateErrors } from './line-stream.ts';
import type { Logger } from './logger.ts';

/** The reason why a program stops. */
export type EndReason = { readonly code: 0 | 1; readonly why: string };

const checkEveryMs = 2_000;

/** Resolves at SIGINT, SIGTERM, or when the parent process has ended. */
export const endSignal = (host: NodeJS.Process): Promise<EndReason> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      host.once(signal, () => resolve({ code: 0, why: signal }));
    host.once('disconnect', () => resolve({ code: 0, why: 'the process that started this one ended' }));
    // The channel listener would otherwise keep this process alive.
    host.channel?.unref();
  });

/** Resolves when a part of the process can no longer work; the supervisor of the process then restarts it. */
export const endOfLife = (contexts: readonly Pick<Context, 'health' | 'clock' | 'lifecycle'>[]): Promise<EndReason> =>
  new Promise((resolve) => {
    const [first] = contexts;
    if (!first) return;
    const stop = repeat({ clock: first.clock, everyMs: checkEveryMs }, () => {
      const failing = contexts.flatMap(({ health }) => health.live().failing);
      if (failing.length > 0) resolve({ code: 1, why: `no longer alive: ${failing.join(', ')}` });
    });
    first.lifecycle.onStop('life check', stop);
  });

/**
 * Resolves at an unhandled error. Errors of standard output or standard error do not count, because the log writes there.
 * @param ownsLeak returns true for a rejection that belongs to isolated work; such a rejection does not end the process
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
        log.fatal({ err: error }, 'unexpected failure');
        resolve({ code: 1, why: event });
      });
  });

/** A program that runs until it receives a signal. */
export interface ProcessSpec extends ContextOptions {
  /** Maximum duration of a graceful shutdown, ms. */
  readonly graceMs: number;
  /**
   * How long clients on keep-alive connections are asked to close them before the server does, ms; closing at once could break a request.
   */
  readonly leaveMs?: number;
  /** Resolves once the program is running; `ownsLeak` as in `unexpectedFailure`. */
  readonly start: (context: Context) => Promise<{ readonly ownsLeak?: ((reason: unknown) => boolean) | undefined }>;
}

/** Ends a process that does not shut down in time; its unfinished work is redelivered. */
const stop = async (
  { health, lifecycle, clock, log }: Context,
  { graceMs, leaveMs }: Pick<ProcessSpec, 'graceMs' | 'leaveMs'>,
): Promise<void> => {
  health.drain();
  const left = leaveMs === undefined ? Promise.resolve() : clock.sleep(leaveMs);
  const stopped = left.then(() => lifecycle.stop());
  if (!(await endsWithin({ clock, ms: graceMs }, stopped))) log.error({ graceMs }, 'the shutdown took too long');
};

/** How a program is called. */
export interface Call {
  readonly name: string;
  /** After the name; only `--help` is known. */
  readonly args: readonly string[];
  readonly table: EnvTable;
  /** As `envHelp` takes them. */
  readonly required?: readonly string[];
}

/** Prints the help, or refuses arguments without repeating them: one may be a secret. Undefined when the program is to run. */
const answerCall = (host: NodeJS.Process, { name, args, table, required }: Call): 0 | 2 | undefined => {
  if (args.length === 0) return undefined;
  if (args.some((argument) => argument !== '--help' && argument !== '-h')) {
    lineWriter(host.stderr)(
      `${name} takes no arguments but --help, which lists its settings, all from the environment\n`,
    );
    return 2;
  }
  lineWriter(host.stdout)(`Usage: ${name}\n\nSettings, from the environment:\n${envHelp(table, required)}\n`);
  return 0;
};

/**
 * Runs a program until it receives a signal or can no longer work; with `--help` it only lists its variables. Resolves with the exit code: 0
 * after a signal, 1 when it could not start or failed, 2 for an unknown argument.
 * @param configure reads the configuration; an error that it throws is printed as it is
 */
export const runProcess = async (
  host: NodeJS.Process,
  call: Call,
  configure: () => ProcessSpec | Promise<ProcessSpec>,
): Promise<0 | 1 | 2> => {
  const answered = answerCall(host, call);
  if (answered !== undefined) return answered;
  const ended = endSignal(host);
  let running: { readonly context: Context; readonly program: ProcessSpec } | undefined;
  try {
    const program = await configure();
    const context = createContext(program);
    running = { context, program };
    let started: Awaited<ReturnType<ProcessSpec['start']>> = {};
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
