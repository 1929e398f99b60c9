import { createInterface } from 'node:readline/promises';
import { type Clock, type Random, systemClock, systemRandom, tolerateErrors } from '@ranger-relay/runtime';
import type { ExitCode } from './failure.ts';
import { createPaint, type Paint, wantsColour } from './format.ts';

/** The members of a process that a shell uses. */
export type HostProcess = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr' | 'on' | 'exitCode'>;

const clearLine = '\r\u001B[2K';

/**
 * Creates the shell of a process. When the reader of standard output ends (`| head`), the shell interrupts the command quietly; any other
 * write error, such as a full disk, also makes the command fail. Errors of standard error are ignored.
 */
export const processShell = (host: HostProcess): Shell => {
  const gone = new AbortController();
  const interactive = host.stderr.isTTY === true;
  let listening = false;
  let hasProgress = false;
  tolerateErrors(host.stderr);
  host.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !gone.signal.aborted) {
      host.stderr.write(`Standard output cannot be written: ${error.message}\n`);
      host.exitCode = 1;
    }
    gone.abort(error);
  });
  const clear = (): string => {
    const text = hasProgress ? clearLine : '';
    hasProgress = false;
    return text;
  };
  return {
    env: host.env,
    clock: systemClock,
    random: systemRandom,
    out: (line) => void host.stdout.write(`${line}\n`),
    err: (line) => void host.stderr.write(`${clear()}${line}\n`),
    progress(line) {
      if (!interactive) return;
      host.stderr.write(`${clear()}${line}`);
      hasProgress = line !== '';
    },
    async confirm(question) {
      if (!interactive || host.stdin.isTTY !== true) return undefined;
      const terminal = createInterface({ input: host.stdin, output: host.stderr });
      terminal.on('SIGINT', () => gone.abort());
      try {
        const answer = await terminal.question(`${clear()}${question} [y/N] `, { signal: gone.signal });
        return /^y(es)?$/i.test(answer.trim());
      } catch (error) {
        if (gone.signal.aborted) return false;
        throw error;
      } finally {
        terminal.close();
      }
    },
    interactive,
    columns: host.stderr.columns ?? 80,
    paint: createPaint(wantsColour(host.env, host.stdout.isTTY === true)),
    interrupted() {
      if (!listening) for (const signal of ['SIGINT', 'SIGTERM'] as const) host.on(signal, () => gone.abort());
      listening = true;
      return gone.signal;
    },
    fail(code = 1) {
      host.exitCode = code;
    },
  };
};

/** The environment, terminal and exit code of a command. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: Random;
  /** Prints a line to standard output. */
  out(line: string): void;
  /** Prints a line to standard error. */
  err(line: string): void;
  /** Replaces the last line of standard error; an empty line clears it. Does nothing without a terminal. */
  progress(line: string): void;
  /** Asks for confirmation; undefined when standard input or standard error is not a terminal. */
  confirm(question: string): Promise<boolean | undefined>;
  /** Whether standard error is a terminal. */
  readonly interactive: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Colours of standard output. */
  readonly paint: Paint;
  /**
   * Returns the signal that is aborted by SIGINT, SIGTERM, or the end of the reader of standard output. The first call starts to listen.
   */
  interrupted(): AbortSignal;
  /** Sets the exit code, default 1; the command continues. */
  fail(code?: ExitCode): void;
}
