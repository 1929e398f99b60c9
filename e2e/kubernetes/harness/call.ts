import { spawn } from 'node:child_process';
import { collect, finish, type Finished } from '../../src/harness/product.ts';

/** How to run a command. */
export interface CallOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** What it reads from its standard input. */
  readonly input?: string;
  /** Killed after so long, ms. */
  readonly timeoutMs?: number;
}

/** Runs a command to its end; a code other than 0 is an answer too. @throws when it cannot be started */
export const call = async (
  command: string,
  args: readonly string[],
  { env, cwd, input = '', timeoutMs = 120_000 }: CallOptions = {},
): Promise<Finished> => {
  const child = spawn(command, args, { env, cwd, timeout: timeoutMs, killSignal: 'SIGKILL' });
  // A command that does not read its input ends the pipe early.
  child.stdin.on('error', () => undefined).end(input);
  return finish(collect(child));
};

/** Runs a command that must succeed; what it printed. @throws with what it said when it does not */
export const must = async (command: string, args: readonly string[], options: CallOptions = {}): Promise<string> => {
  const { code, stdout, stderr } = await call(command, args, options);
  if (code === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}:\n${`${stdout}${stderr}`.slice(-4_000)}`);
};
