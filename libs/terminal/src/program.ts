import { Command } from 'commander';
import { endingOf, type ExitCode } from './failure.ts';
import type { Shell } from './shell.ts';

/** A command as the list of all shows it; `load` brings what it does. */
export interface LazyCommand<Context> {
  /** The same sentence that the command says of itself. */
  readonly description: string;
  readonly load: () => Promise<(context: Context) => Command>;
}

/**
 * All commands of a tool: whole those that are wanted, of the others name and description alone. A call is not to wait for what is not
 * called, nor to keep it in memory.
 * @param wanted names that a call may need; every argument of it may be given
 */
export const loadCommands = <Context>(
  entries: Readonly<Record<string, LazyCommand<Context>>>,
  context: Context,
  wanted: readonly string[],
): Promise<Command[]> =>
  Promise.all(
    Object.entries(entries).map(async ([name, { description, load }]) =>
      wanted.includes(name) ? (await load())(context) : new Command(name).description(description),
    ),
  );

const exitCodes = `
Exit codes:
    0  done
    1  failed, wholly or in part; standard error says what and what to check
    2  the call was wrong
  130  interrupted`;

const asLine =
  (print: (line: string) => void) =>
  (text: string): void =>
    print(text.replace(/\n$/, ''));

/** Commands that were made elsewhere do not inherit how the program prints and ends. */
const adopt = (command: Command, shell: Shell): void => {
  command
    .exitOverride()
    .configureOutput({ writeOut: asLine(shell.out), writeErr: asLine(shell.err) })
    .showHelpAfterError('(add --help for the usage)');
  if (command.parent) command.addHelpText('after', exitCodes);
  for (const child of command.commands) adopt(child, shell);
};

/** What a program says of itself. */
export interface About {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** A call to begin with. */
  readonly example: string;
}

/** The program of these commands. */
export const createProgram = (shell: Shell, about: About, commands: readonly Command[]): Command => {
  const { name, description, version, example } = about;
  const program = new Command(name)
    .description(description)
    .version(version)
    .addHelpText('after', `${exitCodes}\n\nExample:\n  $ ${example}`);
  for (const command of commands) program.addCommand(command);
  adopt(program, shell);
  return program;
};

/**
 * Runs a call to its end; nothing is thrown. Returns the exit code, which `Shell.fail` may still raise to 1.
 * @param onFailure hears what the call ended in, before it is said
 */
export const runProgram = async (
  shell: Shell,
  program: Command,
  args: readonly string[],
  onFailure?: (error: unknown) => void,
): Promise<ExitCode> => {
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return 2;
    }
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    onFailure?.(error);
    const { code, lines } = endingOf(error);
    for (const line of lines) shell.err(line);
    return code;
  }
};
