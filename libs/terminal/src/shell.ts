import type { Clock, Random } from '@ranger-relay/runtime';
import type { ExitCode } from './failure.ts';
import type { Paint } from './paint.ts';

/** What a command works with: its environment, its terminal, and how it ends. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: Random;
  /** Prints a line to standard output. */
  out(line: string): void;
  /** Prints a line to standard error. */
  err(line: string): void;
  /** Replaces the last line of standard error; an empty one clears it. Only on a terminal, else nothing. */
  progress(line: string): void;
  /** Asks a person for a yes; undefined where nobody can be asked, because standard input or standard error is no terminal. */
  confirm(question: string): Promise<boolean | undefined>;
  /** Standard error is a terminal. */
  readonly interactive: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Colours of standard output. */
  readonly paint: Paint;
  /** Aborted at SIGINT, SIGTERM, or when the reader of standard output is gone. Signals are listened to from the first call on. */
  interrupted(): AbortSignal;
  /** The command ends with this exit code, 1 when left out, although it goes on now. */
  fail(code?: ExitCode): void;
}
